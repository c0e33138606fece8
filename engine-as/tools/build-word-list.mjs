#!/usr/bin/env node
/**
 * Packs a list of words for scripts without spaces into engine-as/data/<name>.words.gz, which the engine uses in place once unpacked
 * (engine-as/assembly/text/word-list.ts reads it).
 *
 *   node engine-as/tools/build-word-list.mjs <name> <file>
 *
 * One word per line, optionally followed by a space, its frequency (of all words or of none) and its part of speech. Lines that begin with #
 * are ignored.
 *
 *   | u32 magic | u32 version | u32 nodes | u32 scores |
 *   | f64 scores[]: ln(frequency / sum of all), the first is that of frequency 1 |
 *   | the trie of the words (trie.mjs): words[n] is the number of the score + 1 |
 */
import fs from 'node:fs';
import zlib from 'node:zlib';
import { packTrie, sorted } from './trie.mjs';

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
const words = sorted(entries.keys());
const total = [...entries.values()].reduce((sum, frequency) => sum + frequency, 0);
const frequencies = total === 0 ? [] : [...new Set([1, ...entries.values()])];
const scoreOf = new Map(frequencies.map((frequency, position) => [frequency, position]));
const scores = frequencies.map((frequency) => Math.log(frequency) - Math.log(total));
if (scores.length > 65534 || scores.some((score) => !Number.isFinite(score))) throw new Error('frequencies that do not fit');

const trie = packTrie(words, (word) => (scoreOf.get(entries.get(word)) ?? 0) + 1);
const header = Uint32Array.of(MAGIC, VERSION, trie.nodes, scores.length);
const parts = [header, Float64Array.from(scores), ...trie.parts];
const bytes = Buffer.concat(parts.map((part) => Buffer.from(part.buffer)));
const target = new URL(`../data/${name}.words.gz`, import.meta.url);
fs.writeFileSync(target, zlib.gzipSync(bytes, { level: 9 }));
console.log(`${name}: ${words.length} words, ${trie.nodes} nodes, ${bytes.length} bytes, ${fs.statSync(target).size} packed`);
