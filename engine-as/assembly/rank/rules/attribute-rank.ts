/** The attribute rank rule: documents with matches in more important attributes come first. */

import { memoAdd, memoFind, UNKNOWN } from '../../cache/memo';
import { MEMO_ATTRIBUTE } from '../../cache/result-kinds';
import { attributeComponent } from '../../costs/components';
import { Context } from '../../costs/context';
import { ATTRIBUTE_SEARCHED } from '../../costs/sources';
import { nodeOf } from '../../graph/state';
import { Plan } from '../../plan/plan';
import { inIndex, Search } from '../../plan/search';
import { alloc } from '../../runtime/arena';
import { costsOf, documentsOfCost, partitionedComponent } from '../partitions';
import { occurrencesIn } from '../positions';
import { ROLE_LEADING } from '../roles';
import { BY_WEIGHT } from '../run-sets';

/** The weight of an attribute that a search leaves out. */
const NOT_SEARCHED: u16 = 0xffff;

/** u16[fieldCount]: the weights of the index, and {@link NOT_SEARCHED} for attributes that the search leaves out. */
export function weightsOf(plan: Plan): usize {
  const index = plan.index;
  const weights = inIndex(index, index.weights);
  if (!plan.restricted) return weights;
  const own = alloc((<usize>index.fieldCount) << 1);
  for (let field: u32 = 0; field < index.fieldCount; field++) {
    const at = (<usize>field) << 1;
    const isSearched = load<u8>(plan.fieldFlags + field) & ATTRIBUTE_SEARCHED;
    store<u16>(own + at, isSearched ? load<u16>(weights + at) : NOT_SEARCHED);
  }
  return own;
}

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
  let component = partitionedComponent(search, context, state, BY_WEIGHT, size);
  if (component === 0) {
    const occurrences = occurrencesIn(search, context, state, ROLE_LEADING);
    const weights = search.weights;
    if (occurrences !== 0) {
      component = attributeComponent(changetype<usize>(context), occurrences, search.plan.fieldFlags, weights, size);
    }
  }
  return memoAdd(search.memo, MEMO_ATTRIBUTE, changetype<usize>(context), state, 0, component);
}
