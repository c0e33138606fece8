/** The word position rule: documents whose words are at the same positions as in the query come first. */

import { memoAdd, memoFind, UNKNOWN } from '../../cache/memo';
import { MEMO_POSITION } from '../../cache/result-kinds';
import { positionComponent } from '../../costs/components';
import { Context } from '../../costs/context';
import { nearestPlaces } from '../../costs/nearest-places';
import { sourceCount, sourcesAt } from '../../derive/sources';
import { nodeOf } from '../../graph/state';
import { Search } from '../../plan/search';
import { costsOf, documentsOfCost, isPartitionKnown, MAX_POSITION_COST, partitionedComponent } from '../partitions';
import { knownOccurrences, occurrencesIn } from '../positions';
import { ROLE_LEADING, roleSources } from '../roles';
import { BY_POSITION } from '../run-sets';

export function placeChoices(search: Search, state: u32): u32 {
  return costsOf(search, state, BY_POSITION);
}

/** Whether the costs of a state are known for all documents. */
export function arePlacesKnown(search: Search, state: u32): bool {
  return isPartitionKnown(search, state, BY_POSITION);
}

export function placeDocuments(search: Search, state: u32, choice: u32): usize {
  return documentsOfCost(search, state, BY_POSITION, choice);
}

export function placeGreatest(search: Search, state: u32): u32 {
  return MAX_POSITION_COST * nodeOf(search, state).size;
}

/** The cost of a state of one word, from postings; 0: its occurrences are known, or its words are to be read by document. */
function nearestComponent(search: Search, context: Context, state: u32): usize {
  if (knownOccurrences(search, context, state, ROLE_LEADING) !== UNKNOWN) return 0;
  const sources = roleSources(search, state, ROLE_LEADING);
  if (sourceCount(sources) === 0) return 0;
  return nearestPlaces(changetype<usize>(context), sourcesAt(sources), sourceCount(sources), nodeOf(search, state).start);
}

/** From positions: the cost of a state for the documents of a context, or 0 when none contains it. */
export function placeComponent(search: Search, context: Context, state: u32): usize {
  const known = memoFind(search.memo, MEMO_POSITION, changetype<usize>(context), state, 0);
  if (known !== UNKNOWN) return known;
  const node = nodeOf(search, state);
  let component = partitionedComponent(search, context, state, BY_POSITION, 1);
  if (component === 0 && node.size === 1) component = nearestComponent(search, context, state);
  if (component === 0) {
    const occurrences = occurrencesIn(search, context, state, ROLE_LEADING);
    if (occurrences !== 0) component = positionComponent(changetype<usize>(context), occurrences, node.start, node.size);
  }
  return memoAdd(search.memo, MEMO_POSITION, changetype<usize>(context), state, 0, component);
}
