#!/usr/bin/env node
import { createHash } from 'node:crypto';
import type { Profiler } from 'node:inspector';
import { Session } from 'node:inspector/promises';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { isMainThread, Worker } from 'node:worker_threads';
import { tuneRuntime } from '../host/runtime/v8-flags.js';
import { type DataSet, readDataSet } from './data.js';
import { type QuerySet, querySets } from './queries.js';
import { median } from './statistics.js';
import { openVersion, type Version } from './version.js';

/**
 * Whole answers of one warm thread, without HTTP: the median time of each class of queries, and where the time goes.
 *   node dist/bench/one-thread.js --data FILE.ndjson[.gz] [--dist DIST …] [--queries 200] [--rounds 5] [--seed 1] [--class NAME …] [--functions 0]
 * Each DIST is a folder that a build made (this one's by default), so that versions are compared in the same run; the first one is
 * what the others are compared with. Rounds of the versions alternate. `--functions N` names the N functions outside of WebAssembly that
 * take most. Versions with the same digest gave the same answers.
 */
const { values } = parseArgs({
  options: {
    data: { type: 'string' },
    dist: { type: 'string', multiple: true },
    queries: { type: 'string', default: '200' },
    rounds: { type: 'string', default: '5' },
    seed: { type: 'string', default: '1' },
    class: { type: 'string', multiple: true },
    functions: { type: 'string', default: '0' },
  },
});

const HERE = path.resolve(import.meta.dirname, '..');
const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Number of profiler samples per class, and the time between two in microseconds. */
const SAMPLES = 5000;
const SAMPLE_INTERVAL = 100;

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

/** What building the indexes left behind would be collected while the first class runs. */
function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
}

/** Milliseconds of each search of a round. */
function round(version: Version, bodies: readonly Uint8Array[]): number[] {
  return bodies.map((body) => {
    const start = performance.now();
    version.search(body);
    return performance.now() - start;
  });
}

/** The answers of a class, without members that differ each time. */
function digestOf(version: Version, bodies: readonly Uint8Array[]): string {
  const digest = createHash('sha256');
  const add = (answer: Uint8Array) => digest.update(decoder.decode(answer).replaceAll(TRANSIENT, ''));
  for (const body of bodies) version.search(body, add);
  return digest.digest('hex').slice(0, 12);
}

const TRANSIENT = /"(?:processingTimeMs":\d+|requestUid":"[^"]*")/g;

interface Shares {
  /** Samples by where they fall: WebAssembly, a folder of `bindings`, or V8 itself; shares of 1, the greatest first. */
  places: Map<string, number>;
  /** Those outside of WebAssembly by function. */
  functions: Map<string, number>;
}

/** Where the time of a job goes. */
async function sharesOf(job: () => void): Promise<Shares> {
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.setSamplingInterval', { interval: SAMPLE_INTERVAL });
  await session.post('Profiler.start');
  job();
  const { profile } = await session.post('Profiler.stop');
  session.disconnect();
  const frames = new Map(profile.nodes.map(({ id, callFrame }) => [id, callFrame]));
  const running = (profile.samples ?? []).map((sample) => frames.get(sample) as Frame).filter((frame) => placeOf(frame) !== '');
  return {
    places: shares(running.map(placeOf), running.length),
    functions: shares(running.filter(({ url }) => !url.startsWith('wasm:')).map(nameOf), running.length),
  };
}

/** How often each name occurs, as shares of a total, the greatest first. */
function shares(names: readonly string[], total: number): Map<string, number> {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return new Map([...counts].map(([name, count]): [string, number] => [name, count / total]).sort((a, b) => b[1] - a[1]));
}

type Frame = Profiler.ProfileNode['callFrame'];

const nameOf = ({ url, functionName, lineNumber }: Frame): string =>
  `${functionName || '(anonymous)'} ${url.split('/').slice(-2).join('/')}:${lineNumber + 1}`;

function placeOf({ url, functionName }: Frame): string {
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
  // without documents on the heap, as in a server: they would slow down garbage collections
  data.documents.length = 0;
  collectGarbage();
  for (const { name, bodies } of classes.filter((one) => values.class?.includes(one.name) ?? true)) {
    const times = versions.map((): number[] => []);
    for (const version of versions) round(version, bodies);
    for (let k = 0; k < Number(values.rounds); k++) {
      for (const [place, version] of versions.entries()) times[place]?.push(...round(version, bodies));
    }
    const medians = times.map(median);
    console.log(name);
    for (const [place, version] of versions.entries()) {
      const { places, functions } = await sharesOf(() => {
        const end = performance.now() + (SAMPLES * SAMPLE_INTERVAL) / 1000;
        while (performance.now() < end) for (const body of bodies) version.search(body);
      });
      const own = medians[place] as number;
      const ratio = place === 0 ? '' : ` (${(own / (medians[0] as number)).toFixed(2)}x)`;
      const script = 1 - (places.get('wasm') ?? 0);
      const parts = [...places].map(([folder, share]) => `${folder} ${percent(share)}`).join(', ');
      console.log(
        `  ${version.name}: p50 ${(own * 1000).toFixed(0)} µs${ratio}, JavaScript ${percent(script)}: ${parts}; ${digestOf(version, bodies)}`,
      );
      for (const [line, share] of [...functions].slice(0, Number(values.functions))) {
        console.log(`    ${(share * 100).toFixed(1)} % ${line}`);
      }
    }
  }
}

if (isMainThread) {
  // a thread like those that search in a server: V8 sizes the heap of a thread by flags that are set before it starts
  tuneRuntime();
  new Worker(new URL(import.meta.url), { argv: process.argv.slice(2) });
} else {
  await main();
}
