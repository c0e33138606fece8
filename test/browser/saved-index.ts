import fs from 'node:fs';
import path from 'node:path';
import type { IndexRecord } from '../../host/index/record.js';
import { Ledger } from '../../host/storage/ledger/ledger.js';
import { Client, startServer } from '../server.js';
import { BUNDLE_GLOBAL } from './bundle.js';

/** Documents, settings and searches for a server. */
export interface Corpus {
  settings: unknown;
  /** JSON; ids in `id`. */
  documents: readonly string[];
  /** Of searches, JSON. */
  bodies: readonly string[];
}

/** An index as a server leaves it on disk. */
export interface SavedIndex {
  record: IndexRecord;
  /** Segment files in base64. */
  files: string[];
}

const UID = 'sample';

/** The answer of a server with some launch flags to each search, and the files that it leaves. */
export async function askServer(
  { settings, documents, bodies }: Corpus,
  flags: string[] = [],
): Promise<SavedIndex & { answers: string[] }> {
  const server = await startServer({ flags });
  const client = new Client(server.base);
  const answers: string[] = [];
  try {
    await client.json('PATCH', '/experimental-features', { containsFilter: true });
    await client.change('PATCH', `/indexes/${UID}/settings`, JSON.stringify(settings));
    await client.change('POST', `/indexes/${UID}/documents?primaryKey=id`, `[${documents.join(',')}]`);
    for (const body of bodies) answers.push((await client.send('POST', `/indexes/${UID}/search`, body)).text);
    await server.stop();
    return { ...(await readIndex(server.dataFolder)), answers };
  } finally {
    await server.remove();
  }
}

async function readIndex(folder: string): Promise<SavedIndex> {
  const ledger = await Ledger.open(path.join(folder, 'ledger'));
  try {
    const stored = await ledger.get(`index/${UID}`);
    const record = JSON.parse(String(stored)) as IndexRecord;
    const files = record.segments.map(({ file }) => fs.readFileSync(path.join(folder, 'segments', file), 'base64'));
    return { record, files };
  } finally {
    await ledger.close();
  }
}

/** A function that searches a saved index with the bundle; its text is all that gets to a page. */
export const SEARCH_ALL = `({ engine, record, files, bodies }) => {
  const bytes = (text) => Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
  const { uid, primaryKey, settings, fields } = record;
  const segments = files.map((file) => ({ file: bytes(file) }));
  const module = new WebAssembly.Module(bytes(engine));
  const index = new ${BUNDLE_GLOBAL}.LocalIndex(module, { uid, primaryKey, settings, fields, segments });
  return bodies.map((body) => {
    try {
      return new TextDecoder().decode(index.search(new TextEncoder().encode(body)));
    } catch (error) {
      if (error instanceof ${BUNDLE_GLOBAL}.ApiError) return JSON.stringify({ code: error.code });
      throw error;
    }
  });
}`;
