/** Evaluates filters. They have passed checkFilter, so no errors are expected here. */
import { FilterPlan } from '../engine/exports.js';
import type { IndexReader } from '../engine/segments.js';
import { NO_LIMIT, type TimeLimit } from '../time-limit.js';
import type { FilterNode } from './filter-ast.js';
import { encodeFilter } from './filter-plan.js';

/**
 * Evaluates a filter over all live documents. When the time is up some matching documents are missing, but no other document is ever
 * included.
 * @returns address of a bitmap over the slots of the reader, in scratch memory of its instance
 */
export function evaluateFilter(reader: IndexReader, filter: FilterNode, limit?: TimeLimit): number {
  return evaluateEncoded(reader, encodeFilter(reader, filter), limit);
}

/** Like {@link evaluateFilter}, for a filter that is encoded already. */
export function evaluateEncoded(reader: IndexReader, filter: Uint8Array, limit: TimeLimit = NO_LIMIT): number {
  const plan = putFilter(reader, filter, limit);
  const selected = reader.instance.exports.selectDocuments(reader.inPlan(), reader.bitmapBytes, plan);
  noteTimeout(reader, plan, limit);
  return selected;
}

/** Writes an encoded filter into scratch memory. */
export function putFilter({ instance }: IndexReader, filter: Uint8Array, { deadline }: TimeLimit): FilterPlan {
  const plan = FilterPlan.at(instance.put(filter));
  instance.view.setFloat64(plan + FilterPlan.offset.deadline, deadline, true);
  return plan;
}

/** To be called when a filter was evaluated: whether the time was up. */
export function noteTimeout({ instance }: IndexReader, plan: FilterPlan, limit: TimeLimit): void {
  if (instance.read(FilterPlan, plan).isTimedOut) limit.onTimeout();
}
