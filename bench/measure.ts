import { Client } from '../test/server.js';
import type { DataSet } from './data.js';
import { type LoadResult, makeLoad, postRequest } from './load.js';
import { folderBytes, MEGABYTE, memoryOf } from './processes.js';
import type { QuerySet, SearchBody } from './queries.js';
import { median } from './statistics.js';

export interface Target {
  name: string;
  base: string;
  key?: string;
  /** Process id of the server if it runs on this machine, for its memory. */
  pid?: number;
  /** Its data folder, for disk usage. */
  folder?: string;
}

export interface MeasureOptions {
  connections: number[];
  seconds: number;
}

export interface SetResult {
  /** Median over the set of `estimatedTotalHits`. */
  matches: number;
  /** Share of the searches that found nothing. */
  empty: number;
  byConnections: Record<number, LoadResult>;
}

export interface Measurement {
  target: string;
  documents: number;
  megabytes: number;
  indexSeconds: number;
  documentsPerSecond: number;
  /** MB of the process: current and peak. */
  memory?: { now: number; peak: number };
  diskMegabytes?: number;
  /** Acknowledgements of documents that are written one per request. */
  writes: Record<number, LoadResult>;
  sets: Record<string, SetResult>;
}

const UID = 'bench';
const WRITTEN_UID = 'bench-writes';
/** Number of documents that are written repeatedly. */
const WRITTEN = 5000;
/** Servers take 100 MB a request by default. */
const PAYLOAD_BYTES = 90e6;
const WARM_UP_SECONDS = 1;

/** Indexes a data set into a server and measures how it searches. */
export async function measure(
  target: Target,
  data: DataSet,
  sets: readonly QuerySet[],
  options: MeasureOptions,
): Promise<Measurement> {
  const client = new Client(target.base, target.key);
  const indexSeconds = await index(client, data);
  const measurement: Measurement = {
    target: target.name,
    documents: data.documents.length,
    megabytes: data.raw.length / MEGABYTE,
    indexSeconds,
    documentsPerSecond: data.documents.length / indexSeconds,
    writes: {},
    sets: {},
  };
  for (const set of sets) measurement.sets[set.name] = await measureSet(target, client, set, options);
  if (target.pid) measurement.memory = memoryOf(target.pid);
  if (target.folder) measurement.diskMegabytes = folderBytes(target.folder) / MEGABYTE;
  await client.change('DELETE', `/indexes/${UID}`);
  measurement.writes = await measureWrites(target, client, data, options);
  return measurement;
}

async function index(client: Client, data: DataSet): Promise<number> {
  const exists = (await client.send('GET', `/indexes/${UID}`)).status === 200;
  if (exists) await client.change('DELETE', `/indexes/${UID}`);
  await client.change('POST', '/indexes', JSON.stringify({ uid: UID, primaryKey: data.primaryKey }));
  const settings = {
    searchableAttributes: [...data.textFields, ...data.facetFields],
    filterableAttributes: [...data.facetFields, ...data.numberFields],
    sortableAttributes: data.numberFields,
  };
  await client.change('PATCH', `/indexes/${UID}/settings`, JSON.stringify(settings));
  const start = performance.now();
  const tasks = payloads(data.raw).map((payload) =>
    client.change('POST', `/indexes/${UID}/documents`, payload, 'application/x-ndjson'),
  );
  await Promise.all(tasks);
  return (performance.now() - start) / 1000;
}

/** The lines in payloads that servers accept. */
export function payloads(raw: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer>[] {
  const parts: Uint8Array<ArrayBuffer>[] = [];
  for (let from = 0; from < raw.length; ) {
    const to = from + PAYLOAD_BYTES < raw.length ? raw.lastIndexOf(10, from + PAYLOAD_BYTES) + 1 : raw.length;
    parts.push(raw.subarray(from, to));
    from = to;
  }
  return parts;
}

/** Clients that each write one document after the other and wait until it is acknowledged. */
async function measureWrites(
  target: Target,
  client: Client,
  data: DataSet,
  { connections, seconds }: MeasureOptions,
): Promise<Record<number, LoadResult>> {
  const route = `/indexes/${WRITTEN_UID}/documents?primaryKey=${data.primaryKey}`;
  const requests = data.documents
    .slice(0, WRITTEN)
    .map((document) => postRequest(target.base, route, JSON.stringify(document), target.key));
  const { hostname, port } = new URL(target.base);
  const order = { host: hostname, port: Number(port || 80), requests, expected: 202 };
  const results: Record<number, LoadResult> = {};
  for (const number of connections) {
    results[number] = await makeLoad({ ...order, connections: number, seconds });
    // waits for all writes, so that no measurement includes the work of another
    await client.change('DELETE', `/indexes/${WRITTEN_UID}`);
  }
  return results;
}

async function measureSet(target: Target, client: Client, set: QuerySet, options: MeasureOptions): Promise<SetResult> {
  const route = `/indexes/${UID}/search`;
  const counts: number[] = [];
  for (const body of set.bodies) {
    const { estimatedTotalHits } = await client.json('POST', route, body);
    counts.push(Number(estimatedTotalHits));
  }
  const requests = set.together
    ? inGroups(set.bodies, set.together).map((queries) =>
        postRequest(target.base, '/multi-search', multiBody(queries), target.key),
      )
    : set.bodies.map((body) => postRequest(target.base, route, JSON.stringify(body), target.key));
  const { hostname, port } = new URL(target.base);
  const order = { host: hostname, port: Number(port || 80), requests };
  await makeLoad({ ...order, connections: 2, seconds: WARM_UP_SECONDS });
  const byConnections: Record<number, LoadResult> = {};
  for (const connections of options.connections) {
    byConnections[connections] = await makeLoad({ ...order, connections, seconds: options.seconds });
  }
  return { matches: median(counts), empty: counts.filter((count) => count === 0).length / counts.length, byConnections };
}

function inGroups<T>(items: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, group) => items.slice(group * size, (group + 1) * size));
}

function multiBody(bodies: readonly SearchBody[]): string {
  return JSON.stringify({ queries: bodies.map((body) => ({ indexUid: UID, ...body })) });
}
