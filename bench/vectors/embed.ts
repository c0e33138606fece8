#!/usr/bin/env node
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { type SeededRandom, seededRandom } from '../../bindings/test/random.js';
import { loadModel } from '../../host/embedders/local/load.js';
import { readDataSet } from '../data.js';

/**
 * Embeds the documents of a file with a local model, as the server does, and queries of two or three words of a document.
 *   node scripts/models.mjs
 *   node dist/bench/vectors/embed.js --data FILE.ndjson[.gz] --fields title,overview --out FOLDER [--model wordllama] [--most 20000] \
 *     [--paragraphs description]
 * `--paragraphs`: the paragraphs of this field are embedded too, after the documents.
 * Writes vectors.f32 and queries.f32 (little-endian f32, row by row) and the number of dimensions to the folder. `--models-dir`: where
 * `scripts/models.mjs` has put the models.
 */
const { values } = parseArgs({
  options: {
    data: { type: 'string' },
    fields: { type: 'string' },
    out: { type: 'string' },
    model: { type: 'string', default: 'wordllama' },
    most: { type: 'string', default: '100000' },
    paragraphs: { type: 'string' },
    'models-dir': { type: 'string', default: path.join(os.homedir(), '.cache', 'peregrine-models') },
  },
});

const QUERIES = 500;
const SEED = 11;
/** UTF-16 units of a text that are embedded. */
const TEXT_LENGTH = 2000;
/** UTF-16 units of the shortest paragraph that is a text of its own: below are headings and items of lists. */
const SHORTEST_PARAGRAPH = 40;
/** Texts that are embedded at once. */
const BATCH = 64;

function textOf(document: Record<string, unknown>, fields: readonly string[]): string {
  const text = fields.map((field) => String(document[field] ?? '')).join(' ');
  return text.slice(0, TEXT_LENGTH).trim() || '-';
}

function paragraphsOf(documents: readonly Record<string, unknown>[], field: string | undefined): string[] {
  if (field === undefined) return [];
  return documents
    .flatMap((document) => String(document[field] ?? '').split(/\n\s*/))
    .filter((paragraph) => paragraph.trim().length >= SHORTEST_PARAGRAPH)
    .map((paragraph) => paragraph.slice(0, TEXT_LENGTH));
}

/** Two or three words that follow one another in some text. */
function queryOf(random: SeededRandom, texts: readonly string[]): string {
  for (;;) {
    const words = random.pick(texts).split(/\s+/);
    const length = 2 + random.int(2);
    if (words.length < length) continue;
    const first = random.int(words.length - length + 1);
    return words.slice(first, first + length).join(' ');
  }
}

async function main(): Promise<void> {
  const { data, fields, out } = values;
  if (!data || !fields || !out) throw new Error('--data FILE, --fields NAMES and --out FOLDER are needed');
  const models = values['models-dir'];
  const model = await loadModel({ folder: path.join(models, values.model), pooling: 'useModel', models });
  const { documents } = readDataSet(data);
  const all = [
    ...documents.map((document) => textOf(document, fields.split(','))),
    ...paragraphsOf(documents, values.paragraphs),
  ];
  const texts = all.slice(0, Number(values.most));
  const random = seededRandom(SEED);
  const queries = Array.from({ length: QUERIES }, () => queryOf(random, texts));
  fs.mkdirSync(out, { recursive: true });
  for (const [name, own] of Object.entries({ vectors: texts, queries })) {
    const file = fs.openSync(path.join(out, `${name}.f32`), 'w');
    for (let from = 0; from < own.length; from += BATCH) {
      fs.writeSync(file, new Uint8Array((await model.embed(own.slice(from, from + BATCH))).buffer));
    }
    fs.closeSync(file);
  }
  fs.writeFileSync(path.join(out, 'dimensions'), String(model.dimensions));
}

await main();
