import type { EngineInstance } from '../../../../bindings/engine/instance.js';
import { forEachName } from '../../../../bindings/engine/json.js';
import type { DocumentVectors } from '../../../../bindings/engine/vectors.js';
import type { IndexStats, StoredSegment } from '../../record.js';

/** Left out of the field distribution. */
const UNCOUNTED = '_vectors';

/** Collects how the statistics of an index change. */
export class Tally {
  documents = 0;
  rawBytes = 0;
  embeddings = 0;
  embeddedDocuments = 0;
  readonly fields = new Map<string, number>();
  readonly #names = new NameTable();

  constructor(readonly instance: EngineInstance) {}

  /** Adds (+1) or removes (-1) a stored document, given as compact JSON without repeated members. */
  count(json: Uint8Array, sign: 1 | -1, vectors: readonly DocumentVectors[] = []): void {
    const { instance } = this;
    this.countVectors(vectors, sign);
    this.documents += sign;
    this.rawBytes += sign * json.length;
    forEachName(instance, json, (from, to) => this.#countField(this.#names.name(instance.bytes, from, to), sign));
  }

  /** Adds (+1) or removes (-1) the vectors of a document. */
  countVectors(vectors: readonly DocumentVectors[], sign: 1 | -1): void {
    const embeddings = embeddingsOf(vectors);
    this.embeddings += sign * embeddings;
    if (embeddings > 0) this.embeddedDocuments += sign;
  }

  /** Adds all documents of new segments, except their vectors; `fieldDocuments`: see {@link SegmentWriter}. */
  countSegments(segments: readonly StoredSegment[], fieldDocuments: ReadonlyMap<string, number>): void {
    for (const { docCount, rawBytes } of segments) {
      this.documents += docCount;
      this.rawBytes += rawBytes;
    }
    for (const [name, count] of fieldDocuments) this.#countField(name, count);
  }

  #countField(name: string, count: number): void {
    if (name !== UNCOUNTED) this.fields.set(name, (this.fields.get(name) ?? 0) + count);
  }
}

/** Number of vectors. */
export function embeddingsOf(vectors: readonly DocumentVectors[]): number {
  return vectors.reduce((sum, { values, dimensions }) => sum + (dimensions === 0 ? 0 : values.length / dimensions), 0);
}

const decoder = new TextDecoder();

/** Names by their bytes: names repeat, and looking one up costs less than decoding it. */
class NameTable {
  readonly #byHash = new Map<number, { bytes: Uint8Array; name: string }>();

  name(memory: Uint8Array, start: number, end: number): string {
    let hash = 0x811c9dc5;
    for (let at = start; at < end; at++) hash = Math.imul(hash ^ (memory[at] as number), 0x01000193);
    const known = this.#byHash.get(hash);
    if (known && isAt(known.bytes, memory, start, end)) return known.name;
    const bytes = memory.slice(start, end);
    const name = decoder.decode(bytes);
    this.#byHash.set(hash, { bytes, name });
    return name;
  }
}

function isAt(bytes: Uint8Array, memory: Uint8Array, start: number, end: number): boolean {
  if (bytes.length !== end - start) return false;
  for (let index = 0; index < bytes.length; index++) if (bytes[index] !== memory[start + index]) return false;
  return true;
}

/** The counts of a {@link Tally} as plain numbers, to be sent between threads. */
export interface StatsDelta {
  documents: number;
  rawBytes: number;
  embeddings: number;
  embeddedDocuments: number;
  fields: [name: string, count: number][];
}

export function deltaOf({ documents, rawBytes, embeddings, embeddedDocuments, fields }: Tally): StatsDelta {
  return { documents, rawBytes, embeddings, embeddedDocuments, fields: [...fields] };
}

/** The sum of several deltas. */
export function unitedDeltas(deltas: readonly StatsDelta[]): StatsDelta {
  const sum = (member: 'documents' | 'rawBytes' | 'embeddings' | 'embeddedDocuments') =>
    deltas.reduce((total, delta) => total + delta[member], 0);
  const fields = new Map<string, number>();
  for (const [name, count] of deltas.flatMap((delta) => delta.fields)) fields.set(name, (fields.get(name) ?? 0) + count);
  return {
    documents: sum('documents'),
    rawBytes: sum('rawBytes'),
    embeddings: sum('embeddings'),
    embeddedDocuments: sum('embeddedDocuments'),
    fields: [...fields],
  };
}

export function addDelta(stats: IndexStats, delta: StatsDelta): IndexStats {
  const counts = new Map(Object.entries(stats.fieldDistribution));
  for (const [name, count] of delta.fields) counts.set(name, (counts.get(name) ?? 0) + count);
  const present = [...counts].filter(([, count]) => count > 0).sort(([a], [b]) => (a < b ? -1 : 1));
  return {
    documents: stats.documents + delta.documents,
    rawBytes: stats.rawBytes + delta.rawBytes,
    embeddings: stats.embeddings + delta.embeddings,
    embeddedDocuments: stats.embeddedDocuments + delta.embeddedDocuments,
    fieldDistribution: Object.fromEntries(present),
  };
}
