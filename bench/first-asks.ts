#!/usr/bin/env node
import fs from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { readDataSet } from './data.js';
import { querySets } from './queries.js';
import { percentile } from './statistics.js';
import { openVersion, type Version } from './version.js';

/**
 * Searches that were never asked before, in one warm thread, without HTTP: CPU time of whole answers with 20 hits.
 *   node dist/bench/first-asks.js --data FILE.ndjson[.gz] [--fields a,b] [--dist DIST …] [--queries 400] [--seed 1] [--texts FILE]
 * Each DIST is the folder of a build (by default of this one); they take turns. `--fields` are the searchable fields, instead of
 * all texts. `--texts` writes the queries to a file, for `bench/beside-tantivy.py`.
 */
const { values } = parseArgs({
  options: {
    data: { type: 'string' },
    fields: { type: 'string' },
    dist: { type: 'string', multiple: true },
    queries: { type: 'string', default: '400' },
    seed: { type: 'string', default: '1' },
    texts: { type: 'string' },
  },
});

const HERE = path.resolve(import.meta.dirname, '..');
const encoder = new TextEncoder();
const CLASSES = ['one word', 'two words', 'four words', 'phrase', 'typos'];
/** Seed of the searches that warm up the code, so that they differ from the measured ones. */
const WARM_SEED = 4242;

const bodyOf = (q: string): Uint8Array => encoder.encode(JSON.stringify({ q }));

/** CPU time in milliseconds. */
function timeOf(version: Version, q: string): number {
  const body = bodyOf(q);
  const start = process.cpuUsage();
  version.search(body);
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1000;
}

async function main(): Promise<void> {
  if (!values.data) throw new Error('--data FILE is missing');
  const data = readDataSet(values.data);
  if (values.fields) data.textFields = values.fields.split(',');
  const classesOf = (seed: number): Map<string, string[]> => {
    const sets = querySets(data, 2 * Number(values.queries), seed);
    return new Map(
      CLASSES.map((name) => {
        const asked = new Set(sets.find((set) => set.name === name)?.bodies.map(({ q }) => q));
        return [name, [...asked].slice(0, Number(values.queries))];
      }),
    );
  };
  const [warm, classes] = [classesOf(WARM_SEED), classesOf(Number(values.seed))];
  const written = { fields: data.textFields, warm: Object.fromEntries(warm), classes: Object.fromEntries(classes) };
  if (values.texts) fs.writeFileSync(values.texts, JSON.stringify(written));
  const versions: Version[] = [];
  for (const dist of values.dist ?? [HERE]) versions.push(await openVersion(dist, data));
  for (const asked of warm.values()) for (const q of asked) for (const version of versions) version.search(bodyOf(q));
  for (const [name, asked] of classes) {
    const times = versions.map((): number[] => []);
    for (const q of asked) for (const [place, version] of versions.entries()) times[place]?.push(timeOf(version, q));
    for (const [place, version] of versions.entries()) {
      const sorted = (times[place] as number[]).sort((a, b) => a - b);
      const [p50, p99] = [percentile(sorted, 0.5), percentile(sorted, 0.99)];
      console.log(`${name.padEnd(11)} p50 ${p50.toFixed(2)} p99 ${p99.toFixed(2)} ms  ${version.name}`);
    }
  }
}

await main();
