/**
 * The configuration of a builder, as encoded by bindings/engine/builder-config.ts: u32 flags · u32 least postings of a long run ·
 * u32 bytes of codes that are scanned without a graph, NONE: the default · u32 bytes of occurrences that are collected at once, NONE: the
 * default · searchable · exact attributes · columns
 * under · column patterns · u32 localized rules, each: patterns · one text: its locale list · fields.
 * A list is u32 count, then u32 length and bytes of each text.
 */

export const CONFIG_ALL_SEARCHABLE: u32 = 1;
export const CONFIG_DISABLE_ON_NUMBERS: u32 = 2;
export const CONFIG_GEO: u32 = 4;
/** Sections to be left out, because they are copied from another segment of the same documents: words; ids, keys, vectors and documents. */
export const CONFIG_NO_WORDS: u32 = 8;
export const CONFIG_NO_DOCUMENTS: u32 = 16;

const DOT: u32 = 0x2e;
const STAR: u32 = 0x2a;

let flags: u32 = 0;
let longRun: u32 = 0;
let scanBytes: u32 = 0;
let collectedBytes: u32 = 0;
let searchable: usize = 0;
let exact: usize = 0;
let columnsUnder: usize = 0;
let columnPatterns: usize = 0;
let localizedCount: u32 = 0;
let localized: usize = 0;
let fields: usize = 0;

/** Finds the lists; the bytes must stay where they are. */
export function configOpen(config: usize): void {
  flags = load<u32>(config);
  longRun = load<u32>(config, 4);
  scanBytes = load<u32>(config, 8);
  collectedBytes = load<u32>(config, 12);
  searchable = config + 16;
  exact = listEnd(searchable);
  columnsUnder = listEnd(exact);
  columnPatterns = listEnd(columnsUnder);
  const rules = listEnd(columnPatterns);
  localizedCount = load<u32>(rules);
  localized = rules + 4;
  fields = localized;
  for (let i: u32 = 0; i < localizedCount; i++) fields = textEnd(listEnd(fields));
}

export function configHas(flag: u32): bool {
  return (flags & flag) !== 0;
}

/** The least number of postings of a long run, whatever the number of documents. */
export function configLongRun(): u32 {
  return longRun;
}

/** Bytes of quantized vectors up to which they are scanned instead of indexed by a graph; NONE: the default. */
export function configScanBytes(): u32 {
  return scanBytes;
}

/** Bytes of occurrences that are collected at once; NONE: the default. */
export function configCollectedBytes(): u32 {
  return collectedBytes;
}

/** The list of fields; read it with {@link listCount} and {@link textEnd}. */
export function configFields(): usize {
  return fields;
}

export function listCount(list: usize): u32 {
  return load<u32>(list);
}

/** Address after a text (u32 length, bytes). */
export function textEnd(text: usize): usize {
  return text + 4 + load<u32>(text);
}

function listEnd(list: usize): usize {
  let at = list + 4;
  for (let i: u32 = load<u32>(list); i > 0; i--) at = textEnd(at);
  return at;
}

/** Whether a path is an entry of the list, or nested under one. */
function covered(list: usize, path: usize, length: u32): bool {
  let at = list + 4;
  for (let i: u32 = load<u32>(list); i > 0; i--) {
    if (isUnder(at + 4, load<u32>(at), path, length)) return true;
    at = textEnd(at);
  }
  return false;
}

/** Whether a path is an entry, or nested under it. */
export function isUnder(entry: usize, entryLength: u32, path: usize, length: u32): bool {
  if (length < entryLength || memory.compare(entry, path, entryLength) !== 0) return false;
  return length === entryLength || load<u8>(path + entryLength) === DOT;
}

/** Whether a path matches a pattern of the list: `x`, `x*`, `*x`, `*x*`, `*`. */
function matched(list: usize, path: usize, length: u32): bool {
  let at = list + 4;
  for (let i: u32 = load<u32>(list); i > 0; i--) {
    if (matchesPattern(at + 4, load<u32>(at), path, length)) return true;
    at = textEnd(at);
  }
  return false;
}

function matchesPattern(pattern: usize, patternLength: u32, path: usize, length: u32): bool {
  const open = patternLength > 0 && load<u8>(pattern) === STAR;
  const openEnd = patternLength > <u32>open && load<u8>(pattern + patternLength - 1) === STAR;
  const text = pattern + <usize>open;
  const textLength = patternLength - <u32>open - <u32>openEnd;
  if (length < textLength) return false;
  if (!open && !openEnd) return length === textLength && memory.compare(text, path, length) === 0;
  if (!open) return memory.compare(text, path, textLength) === 0;
  if (!openEnd) return memory.compare(text, path + (length - textLength), textLength) === 0;
  for (let at: u32 = 0; at <= length - textLength; at++) {
    if (memory.compare(text, path + at, textLength) === 0) return true;
  }
  return false;
}

export function isSearchable(path: usize, length: u32): bool {
  return configHas(CONFIG_ALL_SEARCHABLE) || covered(searchable, path, length);
}

export function isExact(path: usize, length: u32): bool {
  return covered(exact, path, length);
}

export function hasColumn(path: usize, length: u32): bool {
  return covered(columnsUnder, path, length) || matched(columnPatterns, path, length);
}

/** Locale list of the first rule that matches a path, or 0. */
export function localesOf(path: usize, length: u32): usize {
  let rule = localized;
  for (let i: u32 = 0; i < localizedCount; i++) {
    const locales = listEnd(rule);
    if (matched(rule, path, length)) return locales + 4;
    rule = textEnd(locales);
  }
  return 0;
}
