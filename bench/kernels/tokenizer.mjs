#!/usr/bin/env node
/**
 * How fast text is cut and folded for indexing: the engine's stream against a regular expression of JavaScript (lower case, then a
 * split at everything that is no letter, digit or mark) and the naive tokenizer of the tests, in MB of UTF-8 per second on one thread.
 *
 *   node scripts/build.mjs && node bench/kernels/tokenizer.mjs [engine.wasm]
 *
 * The texts are made from word lists, with the punctuation of prose. The engine's tokens are counted inside the engine, so calls
 * between JavaScript and WebAssembly do not count; the naive tokenizer gets a small part of the text.
 */
import fs from 'node:fs';
import { privateInstance } from '../../dist/bindings/engine/instance.js';
import { Tokenizer } from '../../dist/bindings/engine/tokenizer.js';
import { NaiveTokenizer } from '../../dist/engine-as/test/naive-tokenizer.js';

const TEXT_BYTES = 4 << 20;
const NAIVE_LENGTH = 10_000;
const ROUNDS = 3;
const WORDS = {
  English: 'the of and search engine index documents ranking query Word attribute typo tolerance proximity exactness a is I fast',
  French: 'le de et été élève Crème brûlée où déjà garçon naïve recherche être français Noël très bientôt à',
  Russian: 'и в не на я быть он с что а поиск документ запрос Слово ошибка ранжирование близость',
  Arabic: 'البيت الكبير كتاب مدرسة في من على الى السلام جديد',
};
const NO_SETTINGS = { stopWords: [], separatorTokens: [], nonSeparatorTokens: [], dictionary: [] };
const SETTINGS = { ...NO_SETTINGS, stopWords: ['the', 'of', 'and', 'a', 'is'], separatorTokens: ['|'], dictionary: ['e.g.'] };

function textOf(words, bytes) {
  const list = words.split(' ');
  const signs = [' ', ' ', ' ', ' ', ' ', ' ', ', ', '. ', ' - ', "'"];
  let state = 1;
  const next = (n) => {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0;
    return (state >>> 8) % n;
  };
  const parts = [];
  for (let length = 0; length < bytes; ) {
    const word = list[next(list.length)] + signs[next(signs.length)];
    parts.push(word);
    length += Buffer.byteLength(word);
  }
  return parts.join('');
}

function seconds(job) {
  const start = performance.now();
  job();
  return (performance.now() - start) / 1000;
}

const best = (job) => Math.min(...Array.from({ length: ROUNDS }, () => seconds(job)));

const file = process.argv[2] ?? 'dist/engine/peregrine.plain.wasm';
const engine = privateInstance(new WebAssembly.Module(fs.readFileSync(file)));

function streamRate(text, config) {
  return engine.scoped(() => {
    const { handle } = new Tokenizer(engine, config);
    const { pointer, length } = engine.putText(text);
    return length / 1e6 / best(() => engine.call('countTokens', handle, pointer, length, 0));
  });
}

function rate(text, job) {
  return Buffer.byteLength(text) / 1e6 / best(() => job(text));
}

const naive = new NaiveTokenizer(NO_SETTINGS);
const wordless = /[^\p{L}\p{N}\p{M}]+/u;
console.log('text       engine   with settings   expression   naive   engine / expression   (MB/s)');
for (const [name, words] of Object.entries(WORDS)) {
  const text = textOf(words, TEXT_BYTES);
  const engineRate = streamRate(text, NO_SETTINGS);
  const settingsRate = streamRate(text, SETTINGS);
  const expressionRate = rate(text, (part) => part.toLowerCase().split(wordless).length);
  const naiveRate = rate(text.slice(0, NAIVE_LENGTH), (part) => naive.tokenize(part, ['eng']).length);
  const cells = [engineRate.toFixed(0), settingsRate.toFixed(0), expressionRate.toFixed(1), naiveRate.toFixed(2)];
  console.log(
    name.padEnd(10),
    cells.map((cell) => cell.padStart(10)).join(' '),
    `${(engineRate / expressionRate).toFixed(0)}x`.padStart(10),
  );
}
