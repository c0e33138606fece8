#!/usr/bin/env node
/**
 * How long a page of 20 hits takes to be written: whole documents, some attributes, highlighted, cropped, positions; in microseconds
 * (p50 of one warm thread), compared with a plain implementation in JavaScript: parse the documents, put tags around words by a regular
 * expression, stringify.
 *
 *   node scripts/build.mjs && node bench/kernels/hits.mjs
 *
 * The documents are synthetic: nine members, a text of 120 words, about 1 KB. The query has two words, one of them a prefix.
 */
import fs from 'node:fs';
import { privateInstance } from '../../dist/bindings/engine/instance.js';
import { ByteWriter } from '../../dist/bindings/format/byte-writer.js';
import { writeHits } from '../../dist/bindings/format/hit-writer.js';
import { hitForm } from '../../dist/bindings/format/hits.js';
import { parseSearchBody } from '../../dist/bindings/query/request.js';
import { putTerms } from '../../dist/bindings/test/match-terms.js';
import { completeSettings } from '../../dist/test/oracle/settings.js';

const PAGE = 20;
const ROUNDS = 4000;
const WORDS =
  'the package library of tools and files for a server with programs, libraries. system data! search engine fast'.split(' ');

let state = 1;
function next(n) {
  state = (Math.imul(state, 1103515245) + 12345) >>> 0;
  return (state >>> 8) % n;
}
const text = (words) => Array.from({ length: words }, () => WORDS[next(WORDS.length)]).join(' ');
const documents = Array.from({ length: 1000 }, (_, id) => ({
  id,
  name: text(2),
  summary: text(8),
  description: `${text(60)}\n${text(60)}`,
  section: 'libs',
  priority: 'optional',
  size: next(1e6),
  rating: 4.5,
  tags: [text(1), text(1)],
}));
const fields = [...Object.keys(documents[0])];
const stored = documents.map((document) => new TextEncoder().encode(JSON.stringify(document)));
const classes = {
  whole: {},
  'two attributes': { attributesToRetrieve: ['id', 'name'] },
  highlighted: { attributesToHighlight: ['*'] },
  'highlighted, cropped': { attributesToHighlight: ['*'], attributesToCrop: ['*'] },
  positions: { showMatchesPosition: true },
};
const word = (form, prefix, position) => ({ text: form, prefix, known: true, typos: [], positions: [position] });
const terms = { words: [word('package', false, 0), word('librar', true, 1)], sequences: [], stopWords: [] };

const engine = privateInstance(new WebAssembly.Module(fs.readFileSync('dist/engine/peregrine.plain.wasm')));
const view = { uid: 'hits', version: 1, primaryKey: 'id', settings: completeSettings({}), fields, segments: [] };
const out = new ByteWriter(1 << 16);

function median(job) {
  const times = Array.from({ length: ROUNDS }, (_, round) => {
    const page = stored.slice((round * PAGE) % 900, ((round * PAGE) % 900) + PAGE);
    const start = performance.now();
    job(page);
    return (performance.now() - start) * 1000;
  });
  return times.slice(ROUNDS / 4).sort((a, b) => a - b)[(ROUNDS * 3) >> 3];
}

const decoder = new TextDecoder();
const tagged = (value) =>
  typeof value === 'string'
    ? value.replace(/\b(package\b|librar)/gi, '<em>$1</em>')
    : Array.isArray(value)
      ? value.map(tagged)
      : String(value);
const plain = median((page) => {
  const hits = page.map((json) => {
    const document = JSON.parse(decoder.decode(json));
    const formatted = Object.fromEntries(Object.entries(document).map(([name, value]) => [name, tagged(value)]));
    return { ...document, _formatted: formatted };
  });
  return new TextEncoder().encode(JSON.stringify(hits));
});
console.log(`${'plain JavaScript, highlighted'.padEnd(30)} ${plain.toFixed(0).padStart(5)} us`);
for (const [name, body] of Object.entries(classes)) {
  const request = parseSearchBody(new TextEncoder().encode(JSON.stringify(body)));
  const time = median((page) => {
    out.reset();
    engine.scoped(() => {
      const form = hitForm(view, request, putTerms(engine, terms));
      writeHits(out, engine, 0, form, { slots: page.map(() => 0), members: null, documents: page });
    });
  });
  console.log(`${name.padEnd(30)} ${time.toFixed(0).padStart(5)} us  ${(time / plain).toFixed(2)} of plain JavaScript`);
}
