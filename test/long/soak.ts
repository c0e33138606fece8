#!/usr/bin/env node
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { seededRandom } from '../../bindings/test/random.js';
import { kill, launchProcess } from '../../host/test/support/process.js';
import { drained, faultOf, faultyTasks, Target } from '../fuzz/run.js';
import { query } from '../fuzz/texts.js';
import { chart } from './chart.js';

/**
 * Mixed load for an hour: searches of every kind, documents that come, change and go, settings, dumps, snapshots, tasks that are
 * deleted. What is stored stays as much as it was, so memory and files must too.
 *   SOAK_MINUTES=60 node dist/test/long/soak.js [--chart soak.svg] [--seed 1]
 * Exit status: 0 flat and without a fault, 1 not. The chart is written in any case.
 */
const MINUTES = Number(process.env.SOAK_MINUTES ?? 60);
const { values } = parseArgs({
  options: { chart: { type: 'string', default: 'soak.svg' }, seed: { type: 'string', default: '1' } },
});
const MASTER = 'a master key for tests';
const DOCUMENTS = 20_000;
/** Requests a second: less than two cores can do, so that it is time that is tried and not speed. */
const SEARCHES = 40;
const WRITES = 4;
/** Searches before measuring: the caches of their results (up to 112 MiB per search thread) are full by then. */
const FILLING = 200_000;
/** Milliseconds between two looks at memory and files. */
const LOOK = 5000;
/** Share of the run in which caches fill and heaps reach their size. */
const SETTLING = 0.35;
/** Largest rise of the trend line of resident memory after that, as a share of its mean. */
const MAX_MEMORY_GROWTH = 0.08;
/** Largest rise of the trend line of open files and connections: one leak every two minutes is detected within an hour. */
const MAX_HANDLE_GROWTH = 20;

const random = seededRandom(Number(values.seed));
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const text = () => Array.from({ length: 20 }, () => `word${random.int(5000)}`).join(' ');
const document = (id: number) => ({
  id,
  title: `title ${random.int(900)}`,
  text: text(),
  genre: `g${random.int(12)}`,
  year: 1950 + random.int(70),
});
const some = (count: number) => Array.from({ length: count }, () => document(random.int(DOCUMENTS)));

interface Sample {
  minutes: number;
  resident: number;
  handles: number;
  threads: number;
  searches: number;
  slowest: number;
}

/** Operations in turn, as often as they are listed; what is deleted is added again. */
const CHANGES: ((target: Target) => Promise<unknown>)[] = [
  ...Array.from(
    { length: 12 },
    () => (target: Target) => target.json('POST', '/indexes/films/documents', some(1 + random.int(30))),
  ),
  ...Array.from(
    { length: 6 },
    () => (target: Target) =>
      target.json(
        'PUT',
        '/indexes/films/documents',
        some(5).map(({ id, year }) => ({ id, year })),
      ),
  ),
  (target) =>
    target.json('POST', '/indexes/films/documents/delete', {
      filter: `year = ${1950 + random.int(70)} AND genre = g${random.int(12)}`,
    }),
  (target) =>
    target.json(
      'POST',
      '/indexes/films/documents/delete-batch',
      some(20).map(({ id }) => id),
    ),
  (target) => target.json('POST', '/indexes/films/documents', some(500)),
  (target) => target.json('PATCH', '/indexes/films/settings', { synonyms: { [`word${random.int(50)}`]: ['title'] } }),
  (target) => target.json('POST', '/indexes/other/documents', some(50)),
  (target) => target.json('POST', '/swap-indexes', [{ indexes: ['other', 'spare'] }]),
];
/** Rare operations, in turn, with their interval in seconds. */
const RARE_SECONDS = 40;
const RARE: typeof CHANGES = [
  (target) => target.json('POST', '/dumps'),
  (target) => target.json('POST', '/snapshots'),
  (target) =>
    target.json('PATCH', '/indexes/films/settings', { sortableAttributes: random.int(2) ? ['year'] : ['year', 'title'] }),
  (target) => target.json('DELETE', '/tasks?statuses=succeeded,failed,canceled'),
  (target) => target.json('POST', '/indexes/films/compact'),
];

function someSearch(): object {
  return random.pick([
    // half of a surrogate pair is no text that JSON can carry
    { q: Buffer.from(query(random)).toString() },
    { q: `word${random.int(5000)} wor`, facets: ['genre', 'year'], limit: 20 },
    { q: 'title', filter: `year > ${1950 + random.int(70)}`, sort: ['year:desc'], attributesToHighlight: ['*'] },
    { q: `"word${random.int(50)} word${random.int(50)}"`, showRankingScoreDetails: true, hitsPerPage: 5 },
  ]);
}

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'peregrine-soak-'));
const faults: string[] = [];
const onLog = (line: string) => / ERROR /.test(line) && faults.push(line);
const output = path.join(folder, 'output');
const { child, url } = launchProcess(
  { folder: path.join(folder, 'db'), env: {}, onLog },
  ...['--master-key', MASTER, '--dump-dir', output, '--snapshot-dir', output],
);
const target = new Target(await url, MASTER, child.pid!, 8);
await target.json('PATCH', '/indexes/films/settings', { filterableAttributes: ['genre', 'year'], sortableAttributes: ['year'] });
for (let id = 0; id < DOCUMENTS; id += 2000)
  await target.json(
    'POST',
    '/indexes/films/documents',
    Array.from({ length: 2000 }, (_, i) => document(id + i)),
  );
for (const uid of ['other', 'spare']) await target.json('POST', `/indexes/${uid}/documents`, some(100));
await drained(target, 0);
const fill = async () => {
  for (let i = 0; i < FILLING / 8; i++) await target.json('POST', '/indexes/films/search', someSearch());
};
await Promise.all(Array.from({ length: 8 }, fill));

const samples: Sample[] = [];
const began = performance.now();
const minutes = () => (performance.now() - began) / 60_000;
let [searches, slowest] = [0, 0];
const check = (what: string, answer: { status: number; headers: Record<string, unknown>; text: string }) => {
  const fault = faultOf(answer) ?? (answer.status >= 400 ? `${answer.status} ${answer.text}` : null);
  if (fault) faults.push(`${what}: ${fault}`);
};
/** Runs an operation at a constant rate, whatever it takes, until the end. */
async function paced(perSecond: number, job: () => Promise<void>): Promise<void> {
  for (let next = performance.now(); minutes() < MINUTES; next += 1000 / perSecond) {
    await pause(Math.max(0, next - performance.now()));
    await job();
  }
}
const change = async (list: typeof CHANGES, at: number) => check(`change ${at}`, (await list[at]!(target)) as never);
await Promise.all([
  ...Array.from({ length: 4 }, () =>
    paced(SEARCHES / 4, async () => {
      const start = performance.now();
      const search = someSearch();
      check(JSON.stringify(search), await target.json('POST', '/indexes/films/search', search));
      slowest = Math.max(slowest, performance.now() - start);
      searches++;
    }),
  ),
  paced(WRITES, () => change(CHANGES, random.int(CHANGES.length))),
  paced(1 / RARE_SECONDS, async () => {
    await change(RARE, Math.floor((minutes() * 60) / RARE_SECONDS) % RARE.length);
    for (const name of fs.existsSync(output) ? fs.readdirSync(output) : []) {
      if (name.endsWith('.dump')) fs.rmSync(path.join(output, name));
    }
    faults.push(...(await faultyTasks(target)));
  }),
  paced(1000 / LOOK, async () => {
    samples.push({ minutes: minutes(), ...target.figures, searches, slowest });
    [searches, slowest] = [0, 0];
  }),
]);
await drained(target, 0);

const settled = samples.filter((sample) => sample.minutes > SETTLING * MINUTES);
const mean = settled.reduce((sum, { resident }) => sum + resident, 0) / settled.length;
/** The rise of the trend line after the settling time. Single peaks, as of a dump, hardly affect it. */
const risen = (of: 'resident' | 'handles') =>
  rise(settled.map((sample) => [sample.minutes, sample[of]])) * (1 - SETTLING) * MINUTES;
const growth = risen('resident') / mean;
const handles = settled.map((sample) => sample.handles);
const moreHandles = risen('handles');
const flat = growth < MAX_MEMORY_GROWTH && moreHandles < MAX_HANDLE_GROWTH;
fs.writeFileSync(
  values.chart,
  chart(
    `${MINUTES} minutes of mixed load`,
    samples.map(({ minutes: at }) => at),
    [
      { name: 'resident MiB', values: samples.map(({ resident }) => resident / 2 ** 20) },
      { name: 'open files and connections', values: samples.map((sample) => sample.handles) },
      { name: 'searches a second', values: samples.map((sample) => (sample.searches * 1000) / LOOK) },
      { name: 'slowest search, ms', values: samples.map((sample) => sample.slowest) },
    ],
  ),
);
console.log(
  `${MINUTES} minutes, ${[...target.statuses.values()].reduce((a, b) => a + b, 0)} requests, ${faults.length} faults; settled at ` +
    `${Math.round(mean / 2 ** 20)} MiB, growth ${(growth * 100).toFixed(1)} %, files ${Math.min(...handles)} to ${Math.max(...handles)} (${Math.round(moreHandles)} more by their line), ` +
    `threads ${settled.at(-1)?.threads}; chart in ${values.chart}`,
);
for (const fault of faults.slice(0, 10)) console.log(fault);
await target.close();
await kill(child);
fs.rmSync(folder, { recursive: true, force: true });
process.exitCode = flat && faults.length === 0 ? 0 : 1;

/** The slope of the line that fits points best. */
function rise(points: readonly (readonly [number, number])[]): number {
  const middle = (axis: 0 | 1) => points.reduce((sum, point) => sum + point[axis], 0) / points.length;
  const [x, y] = [middle(0), middle(1)];
  const over = points.reduce((sum, [a, b]) => sum + (a - x) * (b - y), 0);
  return over / points.reduce((sum, [a]) => sum + (a - x) ** 2, 0);
}
