import { alloc, allocZeroed } from '../runtime/arena';
import { plainInto } from './fold';
import { propertiesOf, separatorClassIn } from './properties';
import {
  ASCII_HARD,
  ASCII_PAIR,
  ASCII_SOFT,
  ASCII_SPECIAL,
  ASCII_TABLE,
  MAX_FOLD_GROWTH,
  SEPARATOR_HARD,
  SEPARATOR_NONE,
} from './tables';
import { utf8Decode, utf8Length } from './utf8';

export const TOKEN_WORD: u32 = 0;
export const TOKEN_STOP: u32 = 1;
export const TOKEN_SOFT: u32 = 2;
export const TOKEN_HARD: u32 = 3;

/** Bits of the roles of an entry of the settings. */
const SEPARATOR: u32 = 1;
const NOT_SEPARATOR: u32 = 2;
const DICTIONARY: u32 = 4;
const STOP_WORD: u32 = 8;

/** A byte trie of the entries of the settings. The children of a node are a linked list; the root is an array of 256. */
@unmanaged
class EntryNode {
  byte: u32;
  roles: u32;
  /** first child and next sibling (EntryNode), or 0 */
  child: usize;
  sibling: usize;
}

/**
 * A tokenizer with the settings of an index. Handle 0 stands for default settings. `asciiTable` is like ASCII_TABLE, with SPECIAL
 * for bytes with which an entry may begin.
 */
@unmanaged
class Tokenizer {
  asciiTable: usize;
  /** address of 256 EntryNode addresses: separators, non-separators and dictionary words */
  patterns: usize;
  /** the same for decomposed stop words; 0: none */
  stopWords: usize;
}

let nextNode: usize = 0;

function childOf(node: usize, byte: u32): usize {
  let child = changetype<EntryNode>(node).child;
  while (child !== 0 && changetype<EntryNode>(child).byte !== byte) child = changetype<EntryNode>(child).sibling;
  return child;
}

function makeNode(byte: u32, sibling: usize): usize {
  const node = nextNode;
  nextNode += offsetof<EntryNode>();
  const made = changetype<EntryNode>(node);
  made.byte = byte;
  made.roles = 0;
  made.child = 0;
  made.sibling = sibling;
  return node;
}

function addEntry(roots: usize, text: usize, length: u32, role: u32): void {
  if (length === 0) return;
  const root = roots + ((<usize>load<u8>(text)) << 2);
  let node = <usize>load<u32>(root);
  if (node === 0) {
    node = makeNode(load<u8>(text), 0);
    store<u32>(root, node);
  }
  for (let i: u32 = 1; i < length; i++) {
    const byte = <u32>load<u8>(text + i);
    let child = childOf(node, byte);
    if (child === 0) {
      child = makeNode(byte, changetype<EntryNode>(node).child);
      changetype<EntryNode>(node).child = child;
    }
    node = child;
  }
  changetype<EntryNode>(node).roles |= role;
}

/** The roles of the entry with exactly this text; 0: there is none. */
function rolesOf(roots: usize, text: usize, length: u32): u32 {
  if (roots === 0 || length === 0) return 0;
  let node = <usize>load<u32>(roots + ((<usize>load<u8>(text)) << 2));
  for (let i: u32 = 1; i < length && node !== 0; i++) node = childOf(node, load<u8>(text + i));
  return node === 0 ? 0 : changetype<EntryNode>(node).roles;
}

const NODE_BYTES: usize = offsetof<EntryNode>();

/** The entry of the ASCII table for a byte with which entries of the settings begin. */
function asciiEntry(byte: u32, node: usize): u32 {
  const entry = <u32>load<u8>(ASCII_TABLE + byte);
  const first = changetype<EntryNode>(node);
  if (first.child !== 0 || (first.roles & DICTIONARY) !== 0 || entry === ASCII_PAIR || entry === ASCII_SPECIAL)
    return ASCII_SPECIAL;
  if ((first.roles & NOT_SEPARATOR) !== 0) return entry < ASCII_SOFT ? entry : byte;
  // An upper-case letter is still folded even if it is also a separator.
  return entry >= ASCII_SOFT ? entry : entry === byte ? ASCII_SOFT : ASCII_SPECIAL;
}

/**
 * Creates a tokenizer in scratch memory from an encoded configuration: u32 counts of stop words, separators, non-separators and
 * dictionary words, then all strings in this order, each as u32 length and UTF-8. The encoded bytes are not needed afterwards.
 */
export function tokenizerCreate(config: usize, length: u32): usize {
  const handle = allocZeroed(offsetof<Tokenizer>());
  const tokenizer = changetype<Tokenizer>(handle);
  tokenizer.asciiTable = alloc(256);
  tokenizer.patterns = allocZeroed(256 << 2);
  const stopCount = load<u32>(config);
  const separatorsUntil = load<u32>(config, 4);
  const removedUntil = separatorsUntil + load<u32>(config, 8);
  const count = removedUntil + load<u32>(config, 12);
  let at = config + 16;
  let stopBytes: u32 = 0;
  let longest: u32 = 0;
  for (let i: u32 = 0; i < stopCount; i++) {
    const bytes = load<u32>(at);
    stopBytes += bytes;
    longest = max(longest, bytes);
    at += 4 + bytes;
  }
  const plainCapacity = longest * MAX_FOLD_GROWTH + 64;
  // There is at most one node per byte.
  nextNode = alloc(<usize>(length + stopBytes * MAX_FOLD_GROWTH) * NODE_BYTES);
  if (stopCount !== 0) {
    tokenizer.stopWords = allocZeroed(256 << 2);
    const plain = alloc(plainCapacity);
    let stop = config + 16;
    for (let i: u32 = 0; i < stopCount; i++) {
      const bytes = load<u32>(stop);
      addEntry(tokenizer.stopWords, plain, plainInto(stop + 4, stop + 4 + bytes, plain, plainCapacity), STOP_WORD);
      stop += 4 + bytes;
    }
  }
  for (let i: u32 = 0; i < count; i++) {
    const bytes = load<u32>(at);
    addEntry(tokenizer.patterns, at + 4, bytes, i < separatorsUntil ? SEPARATOR : i < removedUntil ? NOT_SEPARATOR : DICTIONARY);
    at += 4 + bytes;
  }
  memory.copy(tokenizer.asciiTable, ASCII_TABLE, 256);
  for (let byte: u32 = 0; byte < 128; byte++) {
    const node = load<u32>(tokenizer.patterns + (byte << 2));
    if (node !== 0) store<u8>(tokenizer.asciiTable + byte, asciiEntry(byte, node));
  }
  return handle;
}

/** The ASCII table of a tokenizer. */
export function asciiTableOf(handle: usize): usize {
  return handle === 0 ? ASCII_TABLE : changetype<Tokenizer>(handle).asciiTable;
}

export function hasStopWords(handle: usize): bool {
  return handle !== 0 && changetype<Tokenizer>(handle).stopWords !== 0;
}

/** Bytes of the Khmer abbreviation sign U+17D4 U+179B U+17D4, which is one separator. */
const KHMER_SIGN_BYTES: u32 = 9;
const KHMER_SIGN: u32 = 0x17d4;
const KHMER_LO: u32 = 0x179b;

function isKhmerSign(at: usize): bool {
  return utf8Decode(at) === KHMER_SIGN && utf8Decode(at + 3) === KHMER_LO && utf8Decode(at + 6) === KHMER_SIGN;
}

/** Whether `. ` or `, ` is at `at`. */
function isPair(at: usize): bool {
  return load<u8>(ASCII_TABLE + load<u8>(at)) === ASCII_PAIR && load<u8>(at, 1) === 0x20;
}

/** Bytes of the longest default separator at `at`; 0: none. */
function matchDefault(at: usize, end: usize): u32 {
  const byte = <u32>load<u8>(at);
  if (byte < 0x80) {
    const entry = <u32>load<u8>(ASCII_TABLE + byte);
    if (entry === ASCII_PAIR) return at + 1 < end && load<u8>(at, 1) === 0x20 ? 2 : 1;
    return byte === 0 || entry === ASCII_SOFT || entry === ASCII_HARD ? 1 : 0;
  }
  const point = utf8Decode(at);
  if (separatorClassIn(propertiesOf(point)) === SEPARATOR_NONE) return 0;
  return point === KHMER_SIGN && at + KHMER_SIGN_BYTES <= end && isKhmerSign(at) ? KHMER_SIGN_BYTES : utf8Length(byte);
}

/** Bytes of the longest separator or dictionary word that begins at `at` and ends before `end`; 0: none. */
export function matchAt(handle: usize, at: usize, end: usize): u32 {
  const byDefault = matchDefault(at, end);
  if (handle === 0) return byDefault;
  let longest: u32 = 0;
  // bit n: the default separator of n bytes is disabled
  let removed: u32 = 0;
  let length: u32 = 1;
  let node = <usize>load<u32>(changetype<Tokenizer>(handle).patterns + ((<usize>load<u8>(at)) << 2));
  while (node !== 0) {
    const roles = changetype<EntryNode>(node).roles;
    if ((roles & NOT_SEPARATOR) !== 0 && length < 32) removed |= 1 << length;
    if ((roles & DICTIONARY) !== 0 || (roles & (SEPARATOR | NOT_SEPARATOR)) === SEPARATOR) longest = length;
    if (at + length >= end) break;
    node = childOf(node, load<u8>(at + length));
    length++;
  }
  if (byDefault > longest && ((removed >> byDefault) & 1) === 0) return byDefault;
  // If a separator of several characters is disabled, its first character may still be one.
  const single: u32 = byDefault === KHMER_SIGN_BYTES ? 3 : byDefault === 2 && load<u8>(at) < 0x80 ? 1 : 0;
  if (single > longest && ((removed >> single) & 1) === 0) return single;
  return longest;
}

/** The kind of a token, by its plain text (see plainInto). */
export function classify(handle: usize, plain: usize, length: u32): u32 {
  if (length === 0 || length === u32.MAX_VALUE) return TOKEN_WORD;
  let roles: u32 = 0;
  if (handle !== 0) {
    const tokenizer = changetype<Tokenizer>(handle);
    if (rolesOf(tokenizer.stopWords, plain, length) !== 0) return TOKEN_STOP;
    roles = rolesOf(tokenizer.patterns, plain, length);
    if ((roles & NOT_SEPARATOR) !== 0) return TOKEN_WORD;
  }
  if (length === utf8Length(load<u8>(plain))) {
    const separator = separatorClassIn(propertiesOf(utf8Decode(plain)));
    if (separator !== SEPARATOR_NONE) return separator === SEPARATOR_HARD ? TOKEN_HARD : TOKEN_SOFT;
  } else if ((length === 2 && isPair(plain)) || (length === KHMER_SIGN_BYTES && isKhmerSign(plain))) {
    return TOKEN_HARD;
  }
  return (roles & SEPARATOR) !== 0 ? TOKEN_SOFT : TOKEN_WORD;
}
