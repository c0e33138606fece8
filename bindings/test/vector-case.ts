import { SegmentFile } from '../../engine-as/test/segment-file.js';
import { completeSettings } from '../../test/oracle/settings.js';
import { addMember } from '../engine/bitmaps.js';
import { SegmentBuilder } from '../engine/builder.js';
import { privateInstance } from '../engine/instance.js';
import type { Target } from '../engine/nearest-vectors.js';
import type { IndexReader } from '../engine/segments.js';
import type { DocumentVectors, StoredGraph } from '../engine/vectors.js';
import { LocalIndex, type LocalSegment } from '../local-index.js';
import { PLAIN_CONFIG } from './builder-config.js';
import { plainModule } from './engine.js';
import type { SeededRandom } from './random.js';

/** A document of tests of vectors: what embedders have of it. */
export interface VectorDocument {
  internalId: number;
  vectors: DocumentVectors[];
}

/** How segments are built. */
export interface VectorBuild {
  /** To start from. */
  graphs?: readonly StoredGraph[];
  /** See {@link BuilderConfig}; 0: there is always a graph. */
  scanBytes?: number;
  /** Without codes, as files of before are read, so that scans cost much and graphs are walked. */
  withoutCodes?: boolean;
}

export interface VectorSpread extends VectorBuild {
  segments: number;
  memories: number;
  deleted?: ReadonlySet<number>;
}

const SECTION_VECTORS = 11;
/** Place of codesOffset in the header of the section. */
const CODES_OFFSET = 76;

const encoder = new TextEncoder();
const module = plainModule();
const instance = privateInstance(module);

/** The bytes of a segment of documents by ascending internal id. */
export function vectorSegment(documents: readonly VectorDocument[], build: VectorBuild = {}): Uint8Array {
  const { graphs = [], scanBytes, withoutCodes = false } = build;
  const builder = new SegmentBuilder(instance, scanBytes === undefined ? PLAIN_CONFIG : { ...PLAIN_CONFIG, scanBytes });
  builder.startFrom(graphs);
  for (const { internalId, vectors } of documents) {
    builder.add(internalId, encoder.encode(`k${internalId}`), encoder.encode(`{"id":"k${internalId}"}`));
    for (const each of vectors) builder.addVectors(each);
  }
  const { pieces } = builder.finishInMemory();
  const file = Buffer.concat(pieces);
  for (const { kind, offset } of withoutCodes ? new SegmentFile(file).sections : []) {
    if (kind === SECTION_VECTORS) file.writeUInt32LE(0, offset + CODES_OFFSET);
  }
  return file;
}

/** An index of documents dealt out to segments in turn, so that the internal ids of segments mingle. */
export function vectorIndex(documents: readonly VectorDocument[], spread: VectorSpread): LocalIndex {
  const { segments, memories, deleted } = spread;
  const dealt = Array.from({ length: segments }, (_, segment) => documents.filter((_, place) => place % segments === segment));
  return openSegments(
    dealt
      .filter((own) => own.length > 0)
      .map((own, segment) => ({
        file: vectorSegment(own, spread),
        memory: segment % memories,
        tombstones: bitmapOf(
          own.flatMap(({ internalId }, local) => (deleted?.has(internalId) ? [local] : [])),
          own.length,
        ),
      })),
  );
}

export function openSegments(segments: LocalSegment[]): LocalIndex {
  const settings = completeSettings({});
  return new LocalIndex(module, { uid: 'vectors', primaryKey: 'id', settings, fields: ['id'], segments });
}

function bitmapOf(members: number[], size: number): Uint8Array {
  const bitmap = new Uint8Array(Math.ceil(size / 8));
  for (const member of members) bitmap[member >> 3]! |= 1 << (member & 7);
  return bitmap;
}

/** A bitmap of the live documents whose internal id `allows` accepts. */
export function allowedBitmap(reader: IndexReader, allows: (internalId: number) => boolean): number {
  const allowed = reader.newBitmap();
  for (const { base, ref } of reader.segments) {
    for (let slot = base; slot < base + ref.docCount; slot++) {
      if (allows(reader.internalId(slot))) addMember(reader.instance, allowed, slot);
    }
  }
  reader.intersect(allowed, reader.liveBitmap());
  return allowed;
}

/** A vector to compare documents with, of a model whose similarities are shown as they are. */
export function target(embedder: number, vector: Float32Array): Target {
  return { embedder, vector, distribution: null };
}

/** Vectors of components between -1 and 1. */
export function randomValues(random: SeededRandom, length: number): Float32Array {
  return Float32Array.from({ length }, () => random.int(2001) / 1000 - 1);
}

/** (1 + cos) / 2 in 64-bit floats. */
export function naiveSimilarity(left: Float32Array, right: Float32Array): number {
  const dot = (a: Float32Array, b: Float32Array) => a.reduce((sum, value, i) => sum + value * (b[i] as number), 0);
  const norms = Math.sqrt(dot(left, left)) * Math.sqrt(dot(right, right));
  return norms <= 2 ** -23 ? 1 : (1 + Math.max(-1, Math.min(1, dot(left, right) / norms))) / 2;
}

/** The share of equal bits, of components above 0, with dimensions rounded up to a multiple of 64. */
export function naiveBinarySimilarity(left: Float32Array, right: Float32Array): number {
  const different = left.filter((value, i) => value > 0 !== (right[i] as number) > 0).length;
  return 1 - different / (Math.ceil(left.length / 64) * 64);
}
