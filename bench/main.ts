#!/usr/bin/env node
import fs from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { startServer } from '../test/server.js';
import { type DataSet, readDataSet } from './data.js';
import { benchGrowth } from './growth/main.js';
import { type Measurement, measure, type Target } from './measure.js';
import { measurePeers, type PeerMeasurement } from './peers.js';
import { type QuerySet, querySets } from './queries.js';
import { measurementTable, peerTable, ratioTable } from './report.js';
import { benchVectors } from './vectors/main.js';

/** The command; README.md says what is measured and what the flags are. */

/** Benchmarks with flags of their own, by the first argument. */
const OTHERS = new Map([
  ['vectors', benchVectors],
  ['growth', benchGrowth],
]);
const other = OTHERS.get(process.argv[2] ?? '');

const { values: options } = parseArgs({
  args: other ? [] : process.argv.slice(2),
  options: {
    data: { type: 'string' },
    'primary-key': { type: 'string', default: 'id' },
    base: { type: 'string' },
    key: { type: 'string' },
    pid: { type: 'string' },
    db: { type: 'string' },
    against: { type: 'string' },
    'against-key': { type: 'string' },
    peers: { type: 'boolean', default: false },
    connections: { type: 'string', default: '1,8,32' },
    seconds: { type: 'string', default: '4' },
    queries: { type: 'string', default: '200' },
    seed: { type: 'string', default: '12345' },
    sets: { type: 'string' },
    json: { type: 'string' },
  },
});

interface Result {
  data: string;
  seed: number;
  ours: Measurement;
  theirs?: Measurement;
  peers?: PeerMeasurement[];
}

/** Measures the given server, or one that is started with a temporary folder. */
async function measureOurs(data: DataSet, sets: readonly QuerySet[], load: { connections: number[]; seconds: number }) {
  const { base, key, pid, db } = options;
  if (base !== undefined) {
    const target: Target = { name: base, base, ...(key && { key }), ...(pid && { pid: Number(pid) }), ...(db && { folder: db }) };
    return measure(target, data, sets, load);
  }
  const server = await startServer();
  try {
    return await measure({ name: 'peregrine', base: server.base, pid: server.pid, folder: server.dataFolder }, data, sets, load);
  } finally {
    await server.remove();
  }
}

async function run(file: string): Promise<Result> {
  const data = readDataSet(file, options['primary-key']);
  const seed = Number(options.seed);
  const wanted = options.sets?.split(',');
  const sets = querySets(data, Number(options.queries), seed).filter(({ name }) => !wanted || wanted.includes(name));
  const load = { connections: options.connections.split(',').map(Number), seconds: Number(options.seconds) };
  const ours = await measureOurs(data, sets, load);
  console.log(measurementTable(ours));
  const result: Result = { data: data.name, seed, ours };
  if (options.against !== undefined) {
    const key = options['against-key'];
    result.theirs = await measure({ name: options.against, base: options.against, ...(key && { key }) }, data, sets, load);
    console.log(`\n${measurementTable(result.theirs)}\n\n${ratioTable(ours, result.theirs)}`);
  }
  if (options.peers) {
    result.peers = await measurePeers(data, sets);
    console.log(`\n${peerTable(result.peers)}`);
  }
  return result;
}

if (other) {
  await other(process.argv.slice(3));
} else if (options.data === undefined) {
  console.error('usage: npm run bench -- --data FILE.ndjson[.gz] [--base URL] [--against URL] [--peers] (see bench/README.md)');
  process.exitCode = 2;
} else {
  const result = await run(options.data);
  const json = options.json ?? `bench/out/${result.data}.json`;
  fs.mkdirSync(path.dirname(path.resolve(json)), { recursive: true });
  fs.writeFileSync(json, `${JSON.stringify(result, null, 1)}\n`);
  console.log(`\n${json}`);
}
