import { completeSettings } from '../../test/oracle/settings.js';
import { SegmentBuilder } from '../engine/builder.js';
import { builderConfig } from '../engine/builder-config.js';
import { privateInstance } from '../engine/instance.js';
import { ApiError } from '../errors.js';
import { fetchDocument, fetchDocuments } from '../fetch.js';
import type { IndexSettings } from '../index-types.js';
import { LocalIndex, type LocalSegment } from '../local-index.js';
import { DOCUMENT_MEMBERS, FETCH_MEMBERS, type FetchRequest, prepareFetch } from '../query/fetch-request.js';
import { readRequest } from '../query/validate.js';
import { plainModule } from './engine.js';

/** An index of two segments, and the requests for its documents. */

const module = plainModule();
const builders = privateInstance(module);
const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** A document by its JSON text, with its place in the order of first insertion. */
export interface Stored {
  internalId: number;
  key: string;
  json: string;
  /** Still in its segment, but no longer part of the index. */
  deleted?: boolean;
}

/** An index with a segment for each list of documents. */
export function indexOf(settings: IndexSettings, ...parts: Stored[][]): LocalIndex {
  const fields: string[] = [];
  const segments = parts.map((documents, position): LocalSegment => {
    const builder = new SegmentBuilder(builders, builderConfig(settings, fields, 'id'));
    const tombstones = new Uint8Array(Math.ceil(documents.length / 8));
    const ordered = [...documents].sort((a, b) => a.internalId - b.internalId);
    for (const [local, { internalId, key, json, deleted }] of ordered.entries()) {
      builder.add(internalId, encoder.encode(key), encoder.encode(json));
      if (deleted) tombstones[local >> 3]! |= 1 << (local & 7);
    }
    fields.push(...builder.fields.slice(fields.length));
    const { pieces } = builder.finishInMemory();
    return { file: Buffer.concat(pieces), memory: position % 2, tombstones };
  });
  return new LocalIndex(module, { uid: 'i', primaryKey: 'id', settings, fields, segments });
}

export const DOCUMENTS: object[] = [
  { id: 1, name: 'Amber Quay', kind: 'quay', size: 120, owner: { name: 'Iris', since: 1990 }, _geo: { lat: 10, lng: 10 } },
  { id: 2, name: 'Birch Pier', kind: 'pier', size: 45.5, owner: { name: 'Otto', since: 2001 }, _geo: { lat: 10.5, lng: 10 } },
  { id: 3, name: 'Cobalt Dock', kind: 'dock', size: 300, parts: [{ code: 'x', qty: 2 }, { qty: 5, sub: { z: 1 } }, 7] },
  { id: 4, name: 'Dune Landing', kind: 'landing', size: 'n/a', owner: null },
  { id: 'k-5', name: 'Ember', 'a.b': 'flat', size: [9, 500] },
  { id: '012', a: { b: 1, c: 2 }, _vectors: { m: [1, 0] } },
];

export const SETTINGS = completeSettings({
  filterableAttributes: ['kind', 'size'],
  sortableAttributes: ['size', 'name', '_geo', 'never'],
  displayedAttributes: ['id', 'name'],
});

export const stored = (document: object, internalId: number): Stored => ({
  internalId,
  key: String((document as { id: unknown }).id),
  json: JSON.stringify(document),
});
// Documents 2 and 4 were changed: their old versions are in the first segment, marked as deleted.
const all = DOCUMENTS.map(stored);
const changed = new Set([1, 3]);
export const index = indexOf(
  SETTINGS,
  all.map((document, i) => ({ ...document, json: changed.has(i) ? '{"old":true}' : document.json, deleted: changed.has(i) })),
  all.filter((_, i) => changed.has(i)),
);

export function fetchAll(
  request: FetchRequest,
  from = index,
): { results: object[]; offset: number; limit: number; total: number } {
  const prepared = prepareFetch(request);
  return JSON.parse(decoder.decode(from.read((_, session) => fetchDocuments(session, 'i', prepared).slice())));
}
export const post = (body: object) => fetchAll(readRequest(FETCH_MEMBERS, { body: encoder.encode(JSON.stringify(body)) }));
export const get = (query: string) => fetchAll(readRequest(FETCH_MEMBERS, { query: [...new URLSearchParams(query)] }));
export const one = (id: string, query = '') => {
  const request = readRequest(DOCUMENT_MEMBERS, { query: [...new URLSearchParams(query)] });
  return decoder.decode(index.read((_, session) => fetchDocument(session, 'i', id, request).slice()));
};
export const ids = ({ results }: { results: object[] }) => results.map((document) => (document as { id: unknown }).id);
export const without = (document: object | undefined, name: string) =>
  Object.fromEntries(Object.entries(document ?? {}).filter(([member]) => member !== name));

export function code(job: () => unknown): string {
  try {
    job();
  } catch (error) {
    if (error instanceof ApiError) return error.code;
    throw error;
  }
  return 'accepted';
}
