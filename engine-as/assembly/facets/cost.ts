/** Whether values are looked up in the candidates, or candidates asked for their values: what costs less. */
import { pairCount, ValueDocuments } from '../columns/value-documents';

/** To count a value of a candidate costs as much as to look up so many documents of a list. */
export const VISIT_COST: u32 = 4;

/** What it costs to ask so many documents for their values, in documents of lists. */
export function visitingCost(values: ValueDocuments, documents: u32): f64 {
  return (<f64>pairCount(values) / <f64>values.docCount) * <f64>documents * <f64>VISIT_COST;
}
