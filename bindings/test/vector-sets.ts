import { FilterNode, FilterPlan } from '../engine/exports.js';
import { RecordWriter } from '../engine/record-writer.js';
import type { IndexReader } from '../engine/segments.js';

/**
 * The live documents with a property concerning an embedder, as a bitmap over slots.
 * @param kind FILTER_EMBEDDED or one of those after it
 * @param ordinal of FILTER_ORDINAL
 */
export function documentsByVectors(reader: IndexReader, kind: number, embedder: number, ordinal = 0): number {
  const nodes = FilterPlan.bytes;
  const bytes = nodes + FilterNode.bytes;
  const record = new RecordWriter(bytes);
  const none = { operands: bytes, operandCount: 0 };
  record.put(FilterPlan, { deadline: Number.POSITIVE_INFINITY, bytes, nodes, ...none, isTimedOut: false });
  record.put(FilterNode, { kind, field: embedder, first: ordinal, count: 0 });
  const { instance } = reader;
  const plan = FilterPlan.at(instance.put(record.finish()));
  return instance.exports.selectDocuments(reader.inPlan(), reader.bitmapBytes, plan);
}
