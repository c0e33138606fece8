#!/usr/bin/env node
/**
 * Packs a list of words for scripts without spaces into engine-as/data/<name>.words.gz, which the engine uses in place once unpacked
 * (engine-as/assembly/text/word-list.ts reads it).
 *
 *   node engine-as/tools/build-word-list.mjs <name> <file>
 *
 * One word a line; after a blank may stand its frequency (all words or none) and its part of speech. Lines that begin with # are left out.
 *
 *   | u32 magic | u32 version | u32 nodes | u32 scores |
 *   | f64 scores[]: ln(frequency / sum of all), the first is that of frequency 1 |
 *   | u32 firstChild[nodes + 1] | u16 labels[nodes] | u16 words[nodes] |
 *
 * The nodes of a trie over UTF-16 units in level order: the children of node n are firstChild[n] … firstChild[n + 1] - 1, sorted by
 * label. words[n] is 0 where no word ends, else the number of its score + 1.
 */
import fs from 'node:fs';
import zlib from 'node:zlib';

const MAGIC = 0x314c5750;
const VERSION = 1;
const [name, file] = process.argv.slice(2);
if (file === undefined) throw new Error('name the list and its file');

const lines = fs.readFileSync(file, 'utf8').split(/\r?\n/);
const entries = new Map();
for (const line of lines) {
  if (line === '' || line.startsWith('#')) continue;
  const [, word = line, frequency = '0'] = /^(\S+) (\d+)( \w+)?$/.exec(line) ?? [];
  entries.set(word, Number(frequency));
}
const words = [...entries.keys()].sort((a, b) => (a < b ? -1 : 1));
const total = [...entries.values()].reduce((sum, frequency) => sum + frequency, 0);
const frequencies = total === 0 ? [] : [...new Set([1, ...entries.values()])];
const scoreOf = new Map(frequencies.map((frequency, position) => [frequency, position]));
const scores = frequencies.map((frequency) => Math.log(frequency) - Math.log(total));
if (scores.length > 65534 || scores.some((score) => !Number.isFinite(score))) throw new Error('frequencies that do not fit');

// a node is the range of words that share its prefix
const labels = [0];
const ends = [0];
const firstChild = [];
let level = [{ from: 0, to: words.length, depth: 0 }];
while (level.length > 0) {
  const next = [];
  for (const { from, to, depth } of level) {
    firstChild.push(labels.length);
    for (let at = from; at < to; ) {
      if (words[at].length === depth) {
        at++;
        continue;
      }
      const label = words[at].charCodeAt(depth);
      let end = at;
      while (end < to && words[end].charCodeAt(depth) === label) end++;
      const isWord = words[at].length === depth + 1;
      labels.push(label);
      ends.push(isWord ? (scoreOf.get(entries.get(words[at])) ?? 0) + 1 : 0);
      next.push({ from: at, to: end, depth: depth + 1 });
      at = end;
    }
  }
  level = next;
}
firstChild.push(labels.length);

const header = Uint32Array.of(MAGIC, VERSION, labels.length, scores.length);
const parts = [header, Float64Array.from(scores), Uint32Array.from(firstChild), Uint16Array.from(labels), Uint16Array.from(ends)];
const bytes = Buffer.concat(parts.map((part) => Buffer.from(part.buffer)));
const target = new URL(`../data/${name}.words.gz`, import.meta.url);
fs.writeFileSync(target, zlib.gzipSync(bytes, { level: 9 }));
console.log(`${name}: ${words.length} words, ${labels.length} nodes, ${bytes.length} bytes, ${fs.statSync(target).size} packed`);
