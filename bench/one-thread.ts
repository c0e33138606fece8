#!/usr/bin/env node
import { Session } from 'node:inspector/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import type * as EngineIndexModule from '../test/differential/engine-index.js';
import type * as SettingsModule from '../test/oracle/settings.js';
import { type DataSet, readDataSet } from './data.js';
import { type QuerySet, querySets } from './queries.js';
import { median } from './statistics.js';

/**
 * Whole answers of one warm thread, without HTTP: the median time of each class of queries, and where the time goes.
 *   node dist/bench/one-thread.js --data FILE.ndjson[.gz] [--dist DIST …] [--queries 200] [--rounds 5] [--seed 1]
 * Each DIST is a folder that a build made (this one's by default), so that versions are compared in the same run; the first one is
 * what the others are compared with. Rounds of the versions alternate.
 */
const { values } = parseArgs({
  options: {
    data: { type: 'string' },
    dist: { type: 'string', multiple: true },
    queries: { type: 'string', default: '200' },
    rounds: { type: 'string', default: '5' },
    seed: { type: 'string', default: '1' },
  },
});

const HERE = path.resolve(import.meta.dirname, '..');
const encoder = new TextEncoder();

interface Version {
  name: string;
  search(body: Uint8Array): Uint8Array;
}

/** Opens a data set as one segment, with the engine and the bindings of a build. */
async function openVersion(dist: string, data: DataSet): Promise<Version> {
  // what the helpers of the tests run
  process.env.PEREGRINE_ENGINE = path.resolve(dist, 'engine/peregrine.plain.wasm');
  const load = <T>(file: string): Promise<T> => import(pathToFileURL(path.resolve(dist, file)).href);
  const { EngineBench } = await load<typeof EngineIndexModule>('test/differential/engine-index.js');
  const { completeSettings } = await load<typeof SettingsModule>('test/oracle/settings.js');
  const settings = completeSettings({
    searchableAttributes: data.textFields,
    filterableAttributes: [...data.facetFields, ...data.numberFields],
    sortableAttributes: data.numberFields,
  });
  const documents = data.documents.map((document, internalId) => {
    const { [data.primaryKey]: id, ...members } = document;
    return { internalId, json: JSON.stringify({ id: id ?? internalId, ...members }) };
  });
  const index = new EngineBench().index(settings, documents, { segments: 1, memories: 1 });
  return { name: path.relative(process.cwd(), path.resolve(dist)) || '.', search: (body) => index.search(body) };
}

/** Bodies as they are sent; highlights are a class of their own. */
function classesOf(data: DataSet, count: number, seed: number): { name: string; bodies: Uint8Array[] }[] {
  const sets = querySets(data, count, seed).filter(({ together }) => together === undefined);
  const [oneWord] = sets as [QuerySet];
  const highlight = { name: 'highlight', bodies: oneWord.bodies.map((body) => ({ ...body, attributesToHighlight: ['*'] })) };
  const scores = { name: 'scores', bodies: oneWord.bodies.map((body) => ({ ...body, showRankingScoreDetails: true })) };
  return [...sets, highlight, scores].map(({ name, bodies }) => ({
    name,
    bodies: bodies.map((body) => encoder.encode(JSON.stringify(body))),
  }));
}

/** Milliseconds of each search of a round. */
function round(version: Version, bodies: readonly Uint8Array[]): number[] {
  return bodies.map((body) => {
    const start = performance.now();
    version.search(body);
    return performance.now() - start;
  });
}

/** Samples of a job by where they fall: WebAssembly, a folder of `bindings`, or V8 itself; shares of 1. */
async function sharesOf(job: () => void): Promise<Map<string, number>> {
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.setSamplingInterval', { interval: 200 });
  await session.post('Profiler.start');
  job();
  const { profile } = await session.post('Profiler.stop');
  session.disconnect();
  const places = new Map(profile.nodes.map(({ id, callFrame }) => [id, placeOf(callFrame)]));
  const counts = new Map<string, number>();
  for (const sample of profile.samples ?? []) {
    const place = places.get(sample) as string;
    if (place !== '') counts.set(place, (counts.get(place) ?? 0) + 1);
  }
  const total = [...counts.values()].reduce((sum, count) => sum + count, 0);
  return new Map([...counts].map(([place, count]): [string, number] => [place, count / total]).sort((a, b) => b[1] - a[1]));
}

function placeOf({ url, functionName }: { url: string; functionName: string }): string {
  if (url.startsWith('wasm:')) return 'wasm';
  if (functionName === '(idle)' || functionName === '(program)') return '';
  const folder = /\/bindings\/(?:([^/]+)\/)?[^/]+$/.exec(url);
  return folder ? `bindings/${folder[1] ?? ''}` : functionName === '(garbage collector)' ? 'collector' : 'V8 and others';
}

const percent = (share: number): string => `${(share * 100).toFixed(0)} %`;

async function main(): Promise<void> {
  if (!values.data) throw new Error('--data FILE is missing');
  const data = readDataSet(values.data);
  const versions: Version[] = [];
  for (const dist of values.dist ?? [HERE]) versions.push(await openVersion(dist, data));
  const classes = classesOf(data, Number(values.queries), Number(values.seed));
  // a server has no documents among its objects either, which collections would have to look at
  data.documents.length = 0;
  for (const { name, bodies } of classes) {
    const times = versions.map((): number[] => []);
    for (const version of versions) round(version, bodies);
    for (let k = 0; k < Number(values.rounds); k++) {
      for (const [place, version] of versions.entries()) times[place]?.push(...round(version, bodies));
    }
    const medians = times.map(median);
    console.log(name);
    for (const [place, version] of versions.entries()) {
      const shares = await sharesOf(() => {
        for (let k = 0; k < Number(values.rounds); k++) round(version, bodies);
      });
      const own = medians[place] as number;
      const ratio = place === 0 ? '' : ` (${(own / (medians[0] as number)).toFixed(2)}x)`;
      const script = 1 - (shares.get('wasm') ?? 0);
      const parts = [...shares].map(([folder, share]) => `${folder} ${percent(share)}`).join(', ');
      console.log(`  ${version.name}: p50 ${(own * 1000).toFixed(0)} µs${ratio}, JavaScript ${percent(script)}: ${parts}`);
    }
  }
}

await main();
