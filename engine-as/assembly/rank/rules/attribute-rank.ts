/** The attribute rank rule: documents with matches in more important attributes come first. */

import { attributeComponent } from '../../costs/components';
import { Context } from '../../costs/context';
import { nodeOf } from '../../graph/state';
import { Search } from '../../plan/search';
import { memoAdd, memoFind, UNKNOWN } from '../memo';
import { BY_WEIGHT, costsOf, documentsOfCost, partedComponent } from '../partitions';
import { occurrencesIn } from '../positions';
import { MEMO_ATTRIBUTE } from '../result-kinds';
import { ROLE_LEADING } from '../roles';

/** Limit for ranking by sets of documents: the number of combinations of weights grows exponentially with the nodes. */
export const MAX_WEIGHTED_NODES: u32 = 3;

export function weightChoices(search: Search, state: u32): u32 {
  return costsOf(search, state, BY_WEIGHT);
}

export function weightCost(search: Search, state: u32, choice: u32): u32 {
  return choice * nodeOf(search, state).size;
}

export function weightDocuments(search: Search, state: u32, choice: u32): usize {
  return documentsOfCost(search, state, BY_WEIGHT, choice);
}

export function weightGreatest(search: Search, state: u32): u32 {
  return search.index.maxWeight * nodeOf(search, state).size;
}

/** From positions: the cost of a state for the documents of a context, or 0 when none contains it. */
export function weightComponent(search: Search, context: Context, state: u32): usize {
  const known = memoFind(search.memo, MEMO_ATTRIBUTE, changetype<usize>(context), state, 0);
  if (known !== UNKNOWN) return known;
  const size = nodeOf(search, state).size;
  let component = partedComponent(search, context, state, BY_WEIGHT, size);
  if (component === 0) {
    const occurrences = occurrencesIn(search, context, state, ROLE_LEADING);
    const weights = search.weights;
    if (occurrences !== 0) {
      component = attributeComponent(changetype<usize>(context), occurrences, search.plan.kinds, weights, size);
    }
  }
  return memoAdd(search.memo, MEMO_ATTRIBUTE, changetype<usize>(context), state, 0, component);
}
