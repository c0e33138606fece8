import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { type DataSet, wordsOf } from './data.js';
import type { QuerySet } from './queries.js';
import { median, percentile } from './statistics.js';

/**
 * Search libraries in this process, on the same data and queries. They do less: no ranking by position, no counts of matches
 * beyond what they list, and calls cost no HTTP. Their figures say what a plain in-memory search takes.
 */

export interface PeerMeasurement {
  name: string;
  indexSeconds: number;
  /** Milliseconds per search; `matches` is the median. */
  sets: Record<string, { p50: number; p99: number; matches: number }>;
}

interface Peer {
  /** Number of matches, with the first 20 read. */
  search(q: string): number | Promise<number>;
}

type Open = (data: DataSet) => Peer | Promise<Peer>;

const SHOWN = 20;
/** Sets that are words alone: what every peer can answer. */
const COMPARED = ['one word', 'two words', 'as typed', 'typos'];
const require = createRequire(new URL('../../bench/package.json', import.meta.url));

/** A package of bench/package.json. */
async function load<T>(name: string): Promise<T> {
  const module = await import(pathToFileURL(require.resolve(name)).href);
  return (module.default ?? module) as T;
}

const PEERS: Record<string, Open> = {
  MiniSearch: async ({ documents, textFields }) => {
    interface Index {
      addAll(documents: object[]): void;
      search(q: string, options: object): unknown[];
    }
    const MiniSearch = await load<new (options: object) => Index>('minisearch');
    const index = new MiniSearch({ fields: textFields, idField: '#' });
    index.addAll(documents.map((document, k) => ({ ...textsOf(document, textFields), '#': k })));
    return { search: (q) => index.search(q, { prefix: true, fuzzy: 0.2, combineWith: 'AND' }).length };
  },
  Orama: async ({ documents, textFields }) => {
    interface Library {
      create(options: object): object;
      insertMultiple(index: object, documents: object[], batch: number): Promise<unknown>;
      search(index: object, options: object): Promise<{ count: number }>;
    }
    const { create, insertMultiple, search } = await load<Library>('@orama/orama');
    const index = create({ schema: Object.fromEntries(textFields.map((field) => [field, 'string'])) });
    const texts = documents.map((document) => textsOf(document, textFields));
    await insertMultiple(index, texts, 5000);
    return { search: async (q) => (await search(index, { term: q, tolerance: 1, limit: SHOWN, threshold: 0 })).count };
  },
  FlexSearch: async ({ documents, textFields }) => {
    interface Library {
      Document: new (
        options: object,
      ) => {
        add(document: object): void;
        search(q: string, options: object): unknown[];
      };
    }
    const { Document } = await load<Library>('flexsearch');
    const index = new Document({ document: { id: '#', index: textFields }, tokenize: 'forward' });
    for (const [k, document] of documents.entries()) index.add({ ...textsOf(document, textFields), '#': k });
    return { search: (q) => index.search(q, { limit: SHOWN, suggest: true, merge: true }).length };
  },
  'SQLite FTS5': async ({ documents, textFields }) => {
    interface Database {
      exec(sql: string): void;
      prepare(sql: string): {
        run(values: unknown[]): void;
        all(values: unknown[]): unknown[];
        get(values: unknown[]): { n: number };
      };
    }
    const { Database } = await load<{ Database: new (file: string) => Database }>('node-sqlite3-wasm');
    const database = new Database(':memory:');
    const columns = textFields.map((_, k) => `c${k}`);
    database.exec(`CREATE VIRTUAL TABLE d USING fts5(${columns.join(', ')}, prefix='2 3')`);
    const insert = database.prepare(`INSERT INTO d VALUES (${columns.map(() => '?').join(', ')})`);
    database.exec('BEGIN');
    for (const document of documents) insert.run(Object.values(textsOf(document, textFields)));
    database.exec('COMMIT');
    const count = database.prepare('SELECT count(*) AS n FROM d WHERE d MATCH ?');
    const select = database.prepare(`SELECT rowid FROM d WHERE d MATCH ? ORDER BY rank LIMIT ${SHOWN}`);
    return {
      search: (q) => {
        const words = wordsOf(q);
        if (words.length === 0) return 0;
        const match = words.map((word, k) => `"${word}"${k === words.length - 1 ? '*' : ''}`).join(' ');
        select.all([match]);
        return count.get([match]).n;
      },
    };
  },
};

function textsOf(document: Record<string, unknown>, fields: readonly string[]): Record<string, string> {
  return Object.fromEntries(fields.map((field) => [field, [document[field] ?? ''].flat().join(' ')]));
}

export async function measurePeers(data: DataSet, sets: readonly QuerySet[]): Promise<PeerMeasurement[]> {
  const measurements: PeerMeasurement[] = [];
  for (const [name, open] of Object.entries(PEERS)) {
    const start = performance.now();
    const peer = await open(data);
    const indexSeconds = (performance.now() - start) / 1000;
    const measurement: PeerMeasurement = { name, indexSeconds, sets: {} };
    for (const set of sets.filter((candidate) => COMPARED.includes(candidate.name))) {
      measurement.sets[set.name] = await measureSet(peer, set);
    }
    measurements.push(measurement);
  }
  return measurements;
}

async function measureSet(peer: Peer, { bodies }: QuerySet): Promise<{ p50: number; p99: number; matches: number }> {
  const milliseconds: number[] = [];
  const matches: number[] = [];
  for (const { q } of bodies) {
    const start = performance.now();
    matches.push(await peer.search(q));
    milliseconds.push(performance.now() - start);
  }
  milliseconds.sort((a, b) => a - b);
  return { p50: percentile(milliseconds, 0.5), p99: percentile(milliseconds, 0.99), matches: median(matches) };
}
