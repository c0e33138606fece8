import fs from 'node:fs';
import { copyDocument, type ReadableSegment } from '../../bindings/engine/documents.js';
import { type EngineInstance, privateInstance } from '../../bindings/engine/instance.js';
import { documentKey } from '../../bindings/engine/json.js';
import { internalIdOf } from '../../bindings/engine/segment-arrays.js';
import { embeddersOf } from '../../bindings/engine/segment-vectors.js';
import type { OpenSegment } from '../../bindings/engine/segments.js';
import { type DocumentVectors, storedVectors } from '../../bindings/engine/vectors.js';
import type { StoredSegment } from '../index/record.js';
import { hasBit } from '../index/tombstones.js';

export interface SalvagedDocument {
  internalId: number;
  key: Uint8Array;
  json: Uint8Array;
  vectors: DocumentVectors[];
}

/**
 * The live documents of a segment file that can be read, by ascending internal id, whatever other parts are damaged. A document
 * counts as readable if it is valid JSON with a key.
 */
export function* salvage(
  plain: WebAssembly.Module,
  file: string,
  stored: StoredSegment,
  tombstones: Uint8Array | null,
  primaryKey: string,
  lostVectors: readonly number[] = [],
): Generator<SalvagedDocument> {
  const { id, docCount, residentLength } = stored;
  const fd = fs.openSync(file, 'r');
  const instance: EngineInstance = privateInstance(plain);
  try {
    const at = instance.alloc(residentLength);
    for (let done = 0; done < residentLength; ) {
      const read = fs.readSync(fd, instance.bytes, at + done, residentLength - done, done);
      if (read === 0) break;
      done += read;
    }
    const view = instance.exports.segmentOpen(at);
    const source = {
      read: (offset: number, length: number, memory: Uint8Array, at: number) => {
        if (fs.readSync(fd, memory, at, length, offset) < length) throw new Error('the file ends too early');
      },
    };
    const ref = { ...stored, memory: 0, pointer: at, tombstones: 0, documents: 0 };
    const segment: OpenSegment = { id, instance, view, source, ref, base: 0 };
    const embedders = embeddersOf(segment).filter((embedder) => !lostVectors.includes(embedder));
    for (let local = 0; local < docCount; local++) {
      if (tombstones && hasBit(tombstones, local)) continue;
      const found = readDocument(segment, local, primaryKey);
      if (found)
        yield { internalId: internalIdOf({ instance, view }, local), ...found, vectors: vectorsOf(segment, local, embedders) };
    }
  } finally {
    fs.closeSync(fd);
  }
}

/** The readable vectors of a document. */
function vectorsOf(segment: OpenSegment, local: number, embedders: readonly number[]): DocumentVectors[] {
  try {
    // Graphs of a damaged file are not reused.
    return storedVectors(segment, local, embedders).map(({ origin: _, ...vectors }) => vectors);
  } catch {
    return [];
  }
}

function readDocument(segment: ReadableSegment, local: number, primaryKey: string) {
  try {
    const json = copyDocument(segment, local);
    JSON.parse(Buffer.from(json).toString());
    const key = documentKey(segment.instance, json, primaryKey);
    return key.kind === 'ok' ? { key: key.key, json } : null;
  } catch {
    return null;
  }
}
