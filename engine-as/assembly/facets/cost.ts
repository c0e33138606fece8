/** Costs for the decision how values are counted: by the documents of each value, or by the values of each candidate. */
import { pairCount, ValueDocuments } from '../columns/value-documents';

/** Cost model: counting one value of a candidate costs as much as testing this many documents of a list. */
export const VISIT_COST: u32 = 2;

/** Cost of reading the values of this many documents, in list entries. */
export function visitingCost(values: ValueDocuments, documents: u32): f64 {
  return (<f64>pairCount(values) / <f64>values.docCount) * <f64>documents * <f64>VISIT_COST;
}
