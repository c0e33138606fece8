#!/usr/bin/env node
/**
 * Packs a dictionary of words with costs, as MeCab compiles it, into engine-as/data/<name>.words.gz, which the engine uses in place once
 * unpacked (engine-as/assembly/text/{word-list,lattice-dictionary}.ts read it). Parts of speech and readings are left out.
 *
 *   node engine-as/tools/build-lattice-dictionary.mjs japanese <folder of IPADIC>     (Debian: mecab-ipadic, /var/lib/mecab/dic/ipadic)
 *   node engine-as/tools/build-lattice-dictionary.mjs korean <folder of mecab-ko-dic> (PyPI: python-mecab-ko-dic, mecab_ko_dic/dictionary)
 *
 * The folder has sys.dic (words), unk.dic (costs of unknown words by category), char.bin (categories of code points) and matrix.bin
 * (costs of adjacent words by their contexts).
 *
 *   | u32 magic | u32 version | u32 nodes | u32 0 |                   a word list without scores, whose words are numbers of …
 *   | the trie of the words (trie.mjs) |
 *   | u32 magic of the costs | u32 lists | u32 entries | u32 rows | u32 columns | u32 endRow | u32 startColumn | u32 categories |
 *   | u32 sets | u32 pages |
 *   | u32 firstEntry[lists + 1] |                                     … lists of entries: the ways to read a word
 *   | u16 entryRow[entries] | u16 entryColumn[entries] | i16 entryCost[entries] |
 *   | i16 matrix[rows * columns] |
 *   | u16 categoryList[categories] |                                  entries of an unknown word
 *   | u8 categoryFlags[categories] |                                  1: also where known words begin, 2: a run of it is one word
 *   | u8 sets[sets * 2] |                                             categories of a code point in order, 255: no second one
 *   | u8 page[256] | u8 setOf[pages * 256] |                          set of a code point below 10000 (hex); others have set 0
 *
 * An entry has a row, which is its left context, and a column, which is its right context: the cost of b after a is
 * matrix[row of b * columns + column of a]. Contexts with equal costs share a row or column. The end of a text has a row, its start a
 * column. A word whose trie number is n has the entries firstEntry[n - 1] … firstEntry[n] - 1.
 */
import fs from 'node:fs';
import path from 'node:path';
import zlib from 'node:zlib';
import { packTrie, sorted } from './trie.mjs';

const WORD_LIST_MAGIC = 0x314c5750;
const WORD_LIST_VERSION = 1;
const COSTS_MAGIC = 0x31435750;
const DARTS_HEADER = 72;
const CHARSET_AT = 40;
const TOKEN_BYTES = 16;
const NAME_BYTES = 32;
const PAGE = 256;
const NO_CATEGORY = 255;
/** Limits of the engine. */
const MAX_ROWS = 4096;
const MAX_LISTS = 65534;

const [name, folder] = process.argv.slice(2);
if (folder === undefined) throw new Error('name the list and the folder of the compiled dictionary');
const read = (file) => fs.readFileSync(path.join(folder, file));

/** Cuts a buffer into numbers of a type. */
const numbers = (Type, buffer, at, count) =>
  new Type(buffer.buffer.slice(buffer.byteOffset + at, buffer.byteOffset + at + count * Type.BYTES_PER_ELEMENT));

/** The words of a dictionary file with their entries [id to the left, id to the right, cost]. */
function readWords(file) {
  const bytes = read(file);
  const [, , , , , , trieBytes, tokenBytes] = numbers(Uint32Array, bytes, 0, 10);
  const charset = bytes.toString('latin1', CHARSET_AT, DARTS_HEADER).replace(/\0.*/s, '');
  const decoder = new TextDecoder(charset, { fatal: true });
  const units = numbers(Int32Array, bytes, DARTS_HEADER, trieBytes / 4);
  const tokens = bytes.subarray(DARTS_HEADER + trieBytes, DARTS_HEADER + trieBytes + tokenBytes);
  const words = new Map();
  // a double array: pairs of base and check; a word ends where the base is negative, its number of entries in the low byte
  const visit = (base, text) => {
    if (units[base * 2 + 1] === base && units[base * 2] < 0) {
      const value = -units[base * 2] - 1;
      words.set(decoder.decode(Buffer.from(text)), readEntries(tokens, value >>> 8, value & 0xff));
    }
    for (let byte = 0; byte < 256; byte++) {
      const next = base + byte + 1;
      if (units[next * 2 + 1] === base) visit(units[next * 2], [...text, byte]);
    }
  };
  visit(units[0], []);
  return words;
}

function readEntries(tokens, first, count) {
  return Array.from({ length: count }, (_, number) => {
    const at = (first + number) * TOKEN_BYTES;
    return [tokens.readUInt16LE(at), tokens.readUInt16LE(at + 2), tokens.readInt16LE(at + 6)];
  });
}

/** Numbers given to equal arrays: number of each, and one of each kind. */
function classesOf(arrays) {
  const known = new Map();
  const kinds = [];
  const of = arrays.map((array) => {
    const key = Buffer.from(array.buffer, array.byteOffset, array.byteLength).toString('latin1');
    if (!known.has(key)) {
      known.set(key, kinds.length);
      kinds.push(array);
    }
    return known.get(key);
  });
  return { of, kinds };
}

const matrixFile = read('matrix.bin');
const rightIds = matrixFile.readUInt16LE(0);
const leftIds = matrixFile.readUInt16LE(2);
const costs = numbers(Int16Array, matrixFile, 4, rightIds * leftIds);
const rows = classesOf(Array.from({ length: leftIds }, (_, left) => costs.subarray(left * rightIds, (left + 1) * rightIds)));
const columns = classesOf(Array.from({ length: rightIds }, (_, right) => Int16Array.from(rows.kinds, (row) => row[right])));
const matrix = Int16Array.from(rows.kinds.flatMap((_, row) => columns.kinds.map((column) => column[row])));

/** Entries in rows and columns: of two with the same only the cheaper one can win. */
function entriesKey(entries) {
  const best = new Map();
  for (const [left, right, cost] of entries) {
    const place = rows.of[left] * 0x10000 + columns.of[right];
    best.set(place, Math.min(cost, best.get(place) ?? Number.POSITIVE_INFINITY));
  }
  return [...best]
    .sort(([a], [b]) => a - b)
    .map(([place, cost]) => `${place >>> 16},${place & 0xffff},${cost}`)
    .join(' ');
}

const words = readWords('sys.dic');
const unknown = readWords('unk.dic');
const keys = new Map([...words].map(([word, entries]) => [word, entriesKey(entries)]));
const uses = new Map();
for (const key of keys.values()) uses.set(key, (uses.get(key) ?? 0) + 1);
// frequent lists come first: their numbers are packed better
const lists = [...uses.keys()].sort((a, b) => uses.get(b) - uses.get(a));
const numberOf = new Map(lists.map((key, number) => [key, number + 1]));

const charFile = read('char.bin');
const categories = Array.from({ length: charFile.readUInt32LE(0) }, (_, number) => {
  const at = 4 + number * NAME_BYTES;
  return charFile.toString('latin1', at, at + NAME_BYTES).replace(/\0.*/s, '');
});
const points = numbers(Uint32Array, charFile, 4 + categories.length * NAME_BYTES, 0xffff);
const categoryFlags = new Uint8Array(categories.length);
const setNumbers = new Map();
const setOf = new Uint8Array(0x10000);
for (const [point, packed] of points.entries()) {
  const first = (packed >>> 18) & 0xff;
  const others = categories.map((_, number) => number).filter((number) => ((packed >>> number) & 1) === 1 && number !== first);
  if (others.length > 1) throw new Error(`code point ${point.toString(16)} has more than two categories`);
  const key = `${first},${others[0] ?? NO_CATEGORY}`;
  if (!setNumbers.has(key)) setNumbers.set(key, setNumbers.size);
  setOf[point] = setNumbers.get(key);
  categoryFlags[first] = (packed >>> 31) | (((packed >>> 30) & 1) << 1);
}
if ([...setNumbers.keys()][0] !== `${categories.indexOf('DEFAULT')},${NO_CATEGORY}`) throw new Error('set 0 is not the default');
const categoryLists = categories.map((category) => {
  const key = entriesKey(unknown.get(category) ?? []);
  if (key === '') throw new Error(`there are no costs of unknown words of the category ${category}`);
  if (!numberOf.has(key)) {
    lists.push(key);
    numberOf.set(key, lists.length);
  }
  return numberOf.get(key);
});
const pages = classesOf(Array.from({ length: 256 }, (_, page) => setOf.subarray(page * PAGE, (page + 1) * PAGE)));
if (rows.kinds.length > MAX_ROWS || lists.length > MAX_LISTS) throw new Error('a dictionary too large for the format');

const entries = lists.map((key) => key.split(' ').map((entry) => entry.split(',').map(Number)));
const firstEntry = [0];
for (const list of entries) firstEntry.push(firstEntry[firstEntry.length - 1] + list.length);
const part = (Type, place) => Type.from(entries.flat(), (entry) => entry[place]);
const trie = packTrie(sorted(keys.keys()), (word) => numberOf.get(keys.get(word)));
const sections = [
  Uint32Array.of(WORD_LIST_MAGIC, WORD_LIST_VERSION, trie.nodes, 0),
  ...trie.parts,
  Uint32Array.of(COSTS_MAGIC, lists.length, firstEntry[lists.length], rows.kinds.length, columns.kinds.length),
  Uint32Array.of(rows.of[0], columns.of[0], categories.length, setNumbers.size, pages.kinds.length),
  Uint32Array.from(firstEntry),
  part(Uint16Array, 0),
  part(Uint16Array, 1),
  part(Int16Array, 2),
  matrix,
  Uint16Array.from(categoryLists),
  categoryFlags,
  Uint8Array.from([...setNumbers.keys()].flatMap((key) => key.split(',').map(Number))),
  Uint8Array.from(pages.of),
  ...pages.kinds,
];
const bytes = Buffer.concat(sections.map((section) => Buffer.from(section.buffer, section.byteOffset, section.byteLength)));
const target = new URL(`../data/${name}.words.gz`, import.meta.url);
fs.writeFileSync(target, zlib.gzipSync(bytes, { level: 9 }));
console.log(
  `${name}: ${words.size} words, ${trie.nodes} nodes, ${lists.length} lists of ${firstEntry[lists.length]} entries, ` +
    `${rows.kinds.length} x ${columns.kinds.length} costs, ${bytes.length} bytes, ${fs.statSync(target).size} packed`,
);
