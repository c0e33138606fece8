#!/usr/bin/env node
/**
 * Writes engine-as/assembly/text/tables.ts: the properties of code points, at the Unicode version of the Node.js
 * that runs this. The engine uses no Unicode library, so tokens are the same on every machine.
 *
 *   node engine-as/tools/generate-tables.mjs
 *
 * A change of the output that changes tokens needs a new VERSION: indexes built with another one have to be rebuilt.
 */
import fs from 'node:fs';
import { FOLD_OF_SCRIPT, FOLDS, isCased, isCaseIgnorable, isHard, isNumeric, isSeparator, SCRIPTS } from './unicode-rules.mjs';

const VERSION = 3;

const PROPERTY_LIMIT = 0x20000;
const PROPERTY_BLOCK = 128;
const FOLD_LIMIT = 0x30000;
const FOLD_BLOCK = 64;

const encoder = new TextEncoder();
const plain = FOLDS[0].fold;

/** How a single-code-point separator is classified: by its text after compatibility decomposition. */
const NONE = 0;
const SOFT = 1;
const HARD = 2;
const WORD = 3;

function separatorClass(point) {
  if (!isSeparator(point)) return NONE;
  const points = [...plain(point)].map((character) => character.codePointAt(0));
  if (points.length !== 1 || !isSeparator(points[0])) return WORD;
  return isHard(points[0]) ? HARD : SOFT;
}

function scriptNumber(point) {
  return SCRIPTS.findIndex(({ list }) => list.some(([from, to]) => point >= from && point <= to)) + 1;
}

/** Divides an array of values into blocks and stores equal blocks once: `index` has the number of the block of every position. */
class Blocks {
  constructor(size) {
    this.size = size;
    this.numbers = new Map();
    this.values = [];
  }

  add(row) {
    const index = [];
    for (let at = 0; at < row.length; at += this.size) {
      const block = row.slice(at, at + this.size);
      const key = block.join();
      if (!this.numbers.has(key)) {
        this.numbers.set(key, this.numbers.size);
        this.values.push(...block);
      }
      index.push(this.numbers.get(key));
    }
    return index;
  }
}

/** Texts that code points turn into, each once: u8 length, UTF-8. Offset 0 is a dummy: it means "itself". */
class Pool {
  constructor() {
    this.offsets = new Map();
    this.bytes = [0];
    this.longest = 0;
  }

  add(text) {
    if (!this.offsets.has(text)) {
      const bytes = encoder.encode(text);
      this.longest = Math.max(this.longest, bytes.length);
      this.offsets.set(text, this.bytes.length);
      this.bytes.push(bytes.length, ...bytes);
    }
    return this.offsets.get(text);
  }
}

// syllables are decomposed by arithmetic
const isHangulSyllable = (point) => point >= 0xac00 && point <= 0xd7a3;
const isSurrogate = (point) => point >= 0xd800 && point <= 0xdfff;

const properties = new Blocks(PROPERTY_BLOCK);
const propertyIndex = properties.add(
  Array.from(
    { length: PROPERTY_LIMIT },
    (_, point) => scriptNumber(point) | (separatorClass(point) << 5) | (isNumeric(point) ? 128 : 0),
  ),
);

const pool = new Pool();
const foldBlocks = new Blocks(FOLD_BLOCK);
const foldIndex = FOLDS.flatMap(({ fold }) =>
  foldBlocks.add(
    Array.from({ length: FOLD_LIMIT }, (_, point) => {
      if (isHangulSyllable(point) || isSurrogate(point)) return 0;
      const text = fold(point);
      return text === String.fromCodePoint(point) ? 0 : pool.add(text);
    }),
  ),
);

/** Bounds of the ranges that have a property: a code point has it when an odd number of bounds is <= it. */
function bounds(has) {
  const list = [];
  for (let point = 0, inside = false; point <= 0x110000; point++) {
    const now = point < 0x110000 && has(point);
    if (now !== inside) list.push(point);
    inside = now;
  }
  return list;
}

function largestGrowth() {
  let largest = 0;
  for (let point = 0; point < FOLD_LIMIT; point++) {
    if (isSurrogate(point)) continue;
    const bytes = encoder.encode(String.fromCodePoint(point)).length;
    for (const { fold } of FOLDS) largest = Math.max(largest, encoder.encode(fold(point)).length / bytes);
  }
  return Math.ceil(largest);
}

/** ASCII in the default configuration: the folded byte of a word character, or a class from 128 on (see the constants below). */
const [ASCII_SOFT, ASCII_HARD, ASCII_PAIR, ASCII_SPECIAL] = [128, 129, 130, 131];
function asciiEntry(byte) {
  if (byte >= 128 || byte === 0) return ASCII_SPECIAL;
  const character = String.fromCharCode(byte);
  if (character === '.' || character === ',') return ASCII_PAIR;
  if (isSeparator(byte)) return isHard(byte) ? ASCII_HARD : ASCII_SOFT;
  const folded = FOLDS[1].fold(byte);
  return folded.length === 1 ? folded.charCodeAt(0) : ASCII_SPECIAL;
}

function check() {
  const separators = Array.from({ length: 0x110000 }, (_, point) => point).filter(isSeparator);
  if (separators.length + 3 !== 1052)
    throw new Error(`${separators.length} separators of one code point: not those of this version`);
  if (separators.some((point) => point >= PROPERTY_LIMIT)) throw new Error('a separator lies outside the table');
  for (let point = 0; point < 0x110000; point++) {
    if (isHard(point) && !isSeparator(point)) throw new Error(`hard sign ${point.toString(16)} does not cut`);
    if (point >= PROPERTY_LIMIT && isNumeric(point)) throw new Error(`number ${point.toString(16)} lies outside the table`);
    if (point >= FOLD_LIMIT && !isSurrogate(point) && FOLDS.some(({ fold }) => fold(point) !== String.fromCodePoint(point))) {
      throw new Error(`${point.toString(16)} changes but lies outside the table`);
    }
  }
  if (pool.bytes.length > 65535 || foldBlocks.numbers.size > 65535 || properties.numbers.size > 255)
    throw new Error('a table outgrew its type');
}

const lines = [];
function data(name, type, values, comment) {
  lines.push(`/** ${comment} */`, '// biome-ignore format: table', `export const ${name}: usize = memory.data<${type}>([`);
  let line = '';
  for (const value of values) {
    if (line.length + String(value).length > 125) {
      lines.push(line);
      line = '';
    }
    line += `${value},`;
  }
  lines.push(line, ']);', '');
}
function constant(name, value, type) {
  lines.push(`export const ${name}: ${type} = ${value};`);
}

function constants(values) {
  for (const [name, value] of Object.entries(values)) constant(name, value, 'u32');
}

check();
lines.push('// Generated by engine-as/tools/generate-tables.mjs: change the rules there, not here.', '');
lines.push('/** Version of the rules and tables; tokens of different versions must not be mixed in one index. */');
constant('TOKENIZER_VERSION', VERSION, 'u32');
lines.push(`/** Unicode version of these tables: ${process.versions.unicode}. */`);
lines.push('', '/** Scripts of code points; OTHER does not end a group. */');
constant('SCRIPT_OTHER', 0, 'u32');
constants(Object.fromEntries(SCRIPTS.map(({ name }, position) => [`SCRIPT_${name.toUpperCase()}`, position + 1])));
constant('SCRIPT_COUNT', SCRIPTS.length + 1, 'u32');
lines.push(
  '',
  '/** Classes of code points that are separators by default, by their decomposed form, which may be no separator. */',
);
constants({ SEPARATOR_NONE: NONE, SEPARATOR_SOFT: SOFT, SEPARATOR_HARD: HARD, SEPARATOR_WORD: WORD });
lines.push('', '/** Classes of the ASCII table: PAIR is hard before a space, else soft; SPECIAL is decided by other tables. */');
constants({ ASCII_SOFT, ASCII_HARD, ASCII_PAIR, ASCII_SPECIAL });
lines.push('', '/** Ways of folding a code point. */');
constants(Object.fromEntries(FOLDS.map(({ name }, position) => [`FOLD_${name}`, position])));
constant('FOLD_LIMIT', FOLD_LIMIT, 'u32');
constant('FOLD_ROWS', FOLD_LIMIT / FOLD_BLOCK, 'u32');
lines.push('/** Bytes of the longest text that one code point folds to. */');
constant('MAX_FOLD_BYTES', pool.longest, 'u32');
lines.push('/** Largest number of bytes of a folded text per byte of the text. */');
constant('MAX_FOLD_GROWTH', largestGrowth(), 'u32');
constant('PROPERTY_LIMIT', PROPERTY_LIMIT, 'u32');
const casedBounds = bounds(isCased);
const ignorableBounds = bounds(isCaseIgnorable);
constant('CASED_COUNT', casedBounds.length, 'u32');
constant('CASE_IGNORABLE_COUNT', ignorableBounds.length, 'u32');
lines.push('');
const foldOfScript = ['Other', ...SCRIPTS.map(({ name }) => name)].map((name) =>
  FOLDS.findIndex((fold) => fold.name === (FOLD_OF_SCRIPT[name] ?? 'PLAIN')),
);
data('FOLD_OF_SCRIPT', 'u8', foldOfScript, 'The way of folding that each script uses.');
data(
  'ASCII_TABLE',
  'u8',
  Array.from({ length: 256 }, (_, byte) => asciiEntry(byte)),
  'Folded byte below 128, else a class.',
);
data('PROPERTY_INDEX', 'u8', propertyIndex, `Block of every ${PROPERTY_BLOCK} code points.`);
data('PROPERTY_BLOCKS', 'u8', properties.values, 'Script (5 bits), separator class (2 bits), numeric (1 bit).');
data('FOLD_INDEX', 'u16', foldIndex, `For each way of folding: block of every ${FOLD_BLOCK} code points.`);
data('FOLD_BLOCKS', 'u16', foldBlocks.values, 'Offset of the folded text in the pool; 0: the code point itself.');
// the reader takes eight bytes at once
data('FOLD_POOL', 'u8', [...pool.bytes, ...Array(8).fill(0)], 'Folded texts: length, UTF-8.');
data('CASED_BOUNDS', 'u32', casedBounds, 'Where the property Cased begins and ends, in turn.');
data('CASE_IGNORABLE_BOUNDS', 'u32', ignorableBounds, 'Where the property Case_Ignorable begins and ends, in turn.');
fs.writeFileSync(new URL('../assembly/text/tables.ts', import.meta.url), `${lines.join('\n').trimEnd()}\n`);
