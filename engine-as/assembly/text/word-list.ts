import { areCosts, useCosts } from './lattice-dictionary';

/*
 * Word lists for scripts without spaces, made by engine-as/tools/build-word-list.mjs, or by build-lattice-dictionary.mjs, which
 * adds costs of words and of adjacent words (both have drawings of the layout). The host places a list anywhere in memory and
 * passes its address; instances may share it. When a list is needed but not loaded, this is recorded, so that the host can load
 * it and repeat the job.
 */

export const LIST_THAI: u32 = 0;
export const LIST_KHMER: u32 = 1;
export const LIST_GERMAN: u32 = 2;
export const LIST_CHINESE: u32 = 3;
export const LIST_JAPANESE: u32 = 4;
export const LIST_KOREAN: u32 = 5;
const LIST_COUNT: u32 = 6;

const MAGIC: u32 = 0x314c5750;
const VERSION: u32 = 1;

@unmanaged
class WordListHeader {
  magic: u32;
  version: u32;
  nodes: u32;
  scores: u32;
}

let thai: usize = 0;
let khmer: usize = 0;
let german: usize = 0;
let chinese: usize = 0;
let japanese: usize = 0;
let korean: usize = 0;
/** bit n: list n was needed but not loaded */
let missing: u32 = 0;

/** arrays of the list set by {@link useList} */
let scores: usize = 0;
let firstChild: usize = 0;
let labels: usize = 0;
let words: usize = 0;

/** Whether the list has costs after its trie. */
function hasCosts(list: u32): bool {
  return list === LIST_JAPANESE || list === LIST_KOREAN;
}

function addressOf(list: u32): usize {
  if (list === LIST_THAI) return thai;
  if (list === LIST_KHMER) return khmer;
  if (list === LIST_GERMAN) return german;
  if (list === LIST_CHINESE) return chinese;
  return list === LIST_JAPANESE ? japanese : korean;
}

/** Sets the address of a list, a multiple of 8 (0: unloads it). Returns false when the bytes are not such a list. */
export function tokenizerLoadDictionary(list: u32, bytes: usize, length: u32): bool {
  if (list >= LIST_COUNT) return false;
  if (bytes !== 0) {
    const header = changetype<WordListHeader>(bytes);
    if (length < offsetof<WordListHeader>() || header.magic !== MAGIC || header.version !== VERSION) return false;
    const trieEnd = <u64>offsetof<WordListHeader>() + ((<u64>header.scores) << 3) + ((<u64>header.nodes) << 3) + 4;
    if (<u64>length < trieEnd) return false;
    if (hasCosts(list) && !areCosts(bytes + <usize>trieEnd, length - <u32>trieEnd)) return false;
  }
  if (list === LIST_THAI) thai = bytes;
  else if (list === LIST_KHMER) khmer = bytes;
  else if (list === LIST_GERMAN) german = bytes;
  else if (list === LIST_CHINESE) chinese = bytes;
  else if (list === LIST_JAPANESE) japanese = bytes;
  else korean = bytes;
  return true;
}

/**
 * Bits of the lists that were needed but not loaded since the last call. What was tokenized meanwhile must be tokenized again.
 */
export function tokenizerTakeMissing(): u32 {
  const bits = missing;
  missing = 0;
  return bits;
}

/** Sets the list for the functions below. Returns false when it is not loaded. */
export function useList(list: u32): bool {
  const bytes = addressOf(list);
  if (bytes === 0) {
    missing |= 1 << list;
    return false;
  }
  const header = changetype<WordListHeader>(bytes);
  scores = bytes + offsetof<WordListHeader>();
  firstChild = scores + ((<usize>header.scores) << 3);
  labels = firstChild + ((<usize>header.nodes + 1) << 2);
  words = labels + ((<usize>header.nodes) << 1);
  if (hasCosts(list)) useCosts(words + ((<usize>header.nodes) << 1));
  return true;
}

/** The child of a node for a UTF-16 code unit; 0: none. */
function childByUnit(node: u32, unit: u32): u32 {
  let low = load<u32>(firstChild + ((<usize>node) << 2));
  const end = load<u32>(firstChild + ((<usize>node) << 2), 4);
  let high = end;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (<u32>load<u16>(labels + ((<usize>middle) << 1)) < unit) low = middle + 1;
    else high = middle;
  }
  return low < end && <u32>load<u16>(labels + ((<usize>low) << 1)) === unit ? low : 0;
}

/** The child of a node (0: the root) for a code point; 0: none. */
export function child(node: u32, point: u32): u32 {
  if (point < 0x10000) return childByUnit(node, point);
  const lead = childByUnit(node, 0xd7c0 + (point >> 10));
  return lead === 0 ? 0 : childByUnit(lead, 0xdc00 | (point & 0x3ff));
}

/**
 * Whether a word ends at a node. Returns 0 if not; otherwise the argument of {@link scoreOf}, or for Japanese and Korean the
 * number of a list of entries.
 */
export function wordAt(node: u32): u32 {
  return load<u16>(words + ((<usize>node) << 1));
}

/** Logarithm of the relative frequency of a word. */
export function scoreOf(word: u32): f64 {
  return load<f64>(scores + ((<usize>(word - 1)) << 3));
}

/** {@link scoreOf} a word that occurs once. */
export function rarestScore(): f64 {
  return load<f64>(scores);
}
