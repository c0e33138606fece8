/*
 * Costs of words and of adjacent words. They follow the trie in the word list of Japanese or Korean, whose words are numbers of
 * lists of entries. engine-as/tools/build-lattice-dictionary.mjs has a drawing of the layout.
 */

const MAGIC: u32 = 0x31435750;
/** Limit of the rows of the matrix of costs, one for each left context of a word; lattice.ts has a table of this size. */
export const MAX_ROWS: u32 = 4096;
const PAGES: u32 = 256;

@unmanaged
class CostsHeader {
  magic: u32;
  lists: u32;
  entries: u32;
  rows: u32;
  columns: u32;
  endRow: u32;
  startColumn: u32;
  categories: u32;
  sets: u32;
  pages: u32;
}

/** Stands for a second category when there is none. */
export const NO_CATEGORY: u32 = 255;
const ALWAYS: u32 = 1;
const RUNS: u32 = 2;

let header: usize = 0;
let firstEntries: usize = 0;
let entryRows: usize = 0;
let entryColumns: usize = 0;
let entryCosts: usize = 0;
let matrix: usize = 0;
let rowBytes: usize = 0;
let categoryLists: usize = 0;
let categoryFlags: usize = 0;
let categorySets: usize = 0;
let pages: usize = 0;
let pageSets: usize = 0;

/** Whether `length` bytes have a valid header and contain all arrays. */
export function areCosts(bytes: usize, length: usize): bool {
  const costs = changetype<CostsHeader>(bytes);
  if (length < offsetof<CostsHeader>() || costs.magic !== MAGIC || costs.rows > MAX_ROWS) return false;
  let needed = <u64>offsetof<CostsHeader>() + ((<u64>costs.lists + 1) << 2) + <u64>costs.entries * 6;
  needed += ((<u64>costs.rows * <u64>costs.columns) << 1) + <u64>costs.categories * 3;
  needed += ((<u64>costs.sets) << 1) + <u64>PAGES + ((<u64>costs.pages) << 8);
  return <u64>length >= needed;
}

/** Sets the costs that the functions below read. */
export function useCosts(bytes: usize): void {
  if (bytes === header) return;
  header = bytes;
  const costs = changetype<CostsHeader>(bytes);
  firstEntries = bytes + offsetof<CostsHeader>();
  entryRows = firstEntries + ((<usize>costs.lists + 1) << 2);
  entryColumns = entryRows + ((<usize>costs.entries) << 1);
  entryCosts = entryColumns + ((<usize>costs.entries) << 1);
  matrix = entryCosts + ((<usize>costs.entries) << 1);
  rowBytes = (<usize>costs.columns) << 1;
  categoryLists = matrix + <usize>costs.rows * rowBytes;
  categoryFlags = categoryLists + ((<usize>costs.categories) << 1);
  categorySets = categoryFlags + <usize>costs.categories;
  pages = categorySets + ((<usize>costs.sets) << 1);
  pageSets = pages + <usize>PAGES;
}

/** The first entry of list number `list`, counted from 1. */
export function firstEntryOf(list: u32): u32 {
  return load<u32>(firstEntries + ((<usize>(list - 1)) << 2));
}

/** The end (exclusive) of the entries of a list. */
export function entriesEndOf(list: u32): u32 {
  return load<u32>(firstEntries + ((<usize>list) << 2));
}

/** The row of an entry in the matrix of costs, as the right one of two adjacent words. */
export function rowOf(entry: u32): u32 {
  return load<u16>(entryRows + ((<usize>entry) << 1));
}

/** The column of an entry in the matrix of costs, as the left one of two adjacent words. */
export function columnOf(entry: u32): u32 {
  return load<u16>(entryColumns + ((<usize>entry) << 1));
}

export function costOf(entry: u32): i32 {
  return load<i16>(entryCosts + ((<usize>entry) << 1));
}

/** Address of a row of the matrix of costs: i16 per column. */
export function costsOfRow(row: u32): usize {
  return matrix + <usize>row * rowBytes;
}

/** The row that stands for the end of a text. */
export function endRow(): u32 {
  return changetype<CostsHeader>(header).endRow;
}

/** The column that stands for the start of a text. */
export function startColumn(): u32 {
  return changetype<CostsHeader>(header).startColumn;
}

/** Number of the set of categories of a code point. */
export function setOf(point: u32): u32 {
  if (point >= 0x10000) return 0;
  return load<u8>(pageSets + ((<usize>load<u8>(pages + (point >> 8))) << 8) + (point & 0xff));
}

/** The first (0) or second (1) category of a set, or {@link NO_CATEGORY}. */
export function categoryIn(set: u32, place: u32): u32 {
  return load<u8>(categorySets + (set << 1) + place);
}

/** Number of the list of entries for unknown words of a category. */
export function listOfCategory(category: u32): u32 {
  return load<u16>(categoryLists + (category << 1));
}

/** Whether unknown words of a category may begin where a known word begins, too. */
export function mayReplaceKnown(category: u32): bool {
  return (load<u8>(categoryFlags + category) & ALWAYS) !== 0;
}

/** Whether consecutive code points of a category form one unknown word; otherwise each is a word. */
export function formsRuns(category: u32): bool {
  return (load<u8>(categoryFlags + category) & RUNS) !== 0;
}
