import { FilterNode, FilterPlan } from './exports.js';
import { RecordWriter } from './record-writer.js';
import { vectorsIn } from './segment-vectors.js';
import type { IndexReader } from './segments.js';

/**
 * Which live documents have what of an embedder: a bitmap over slots.
 * @param kind FILTER_EMBEDDED or one of those after it
 * @param ordinal of FILTER_ORDINAL
 */
export function documentsByVectors(reader: IndexReader, kind: number, embedder: number, ordinal = 0): number {
  const nodes = FilterPlan.bytes;
  const bytes = nodes + FilterNode.bytes;
  const record = new RecordWriter(bytes);
  const none = { operands: bytes, operandCount: 0, givenCount: 0 };
  record.put(FilterPlan, { deadline: Number.POSITIVE_INFINITY, bytes, nodes, ...none, isCut: false });
  record.put(FilterNode, { kind, field: embedder, first: ordinal, count: 0 });
  const { instance } = reader;
  const plan = FilterPlan.at(instance.put(record.finish()));
  return instance.exports.selectDocuments(reader.inPlan(), reader.bitmapBytes, plan, 0);
}

/** Ordinals that vectors of an embedder have, ascending; null where no document has several vectors. Deleted documents count too. */
export function ordinalsInUse(reader: IndexReader, embedder: number): number[] | null {
  const used = new Set<number>();
  let isSeveral = false;
  for (const segment of reader.segments) {
    const found = vectorsIn(segment, embedder);
    if (!found) continue;
    const { vectorCount, embeddedCount, ordinalsOffset } = found.fields;
    if (vectorCount > embeddedCount) isSeveral = true;
    if (ordinalsOffset === 0) {
      used.add(0);
      continue;
    }
    const first = found.header + ordinalsOffset;
    for (const ordinal of segment.instance.bytes.subarray(first, first + vectorCount)) used.add(ordinal);
  }
  return isSeveral ? [...used].sort((a, b) => a - b) : null;
}
