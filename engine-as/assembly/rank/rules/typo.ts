/** The typo rule: documents with fewer typos come first; joined words count as typos, too. */
import { greatestClass, Node } from '../../graph/node';
import { allows, isExactOnly, lowestDocuments, nodeOf, stateOf } from '../../graph/state';
import { Search } from '../../plan/search';

/** One choice per class of derivations: 0, 1 or 2 typos. */
export const TYPO_CHOICES: u32 = 3;

/** The cost of joining words, in addition to typos. */
function joinedCost(node: Node): u32 {
  return node.size === 1 ? 0 : node.size;
}

export function typoAllows(state: u32, choice: u32): bool {
  return isExactOnly(state) ? choice === 0 : allows(state, choice);
}

export function typoCost(search: Search, state: u32, choice: u32): u32 {
  return choice + joinedCost(nodeOf(search, state));
}

export function typoDocuments(search: Search, state: u32, choice: u32): usize {
  return lowestDocuments(search, state, choice);
}

export function typoNext(search: Search, state: u32, choice: u32): u32 {
  if (isExactOnly(state)) return state;
  return stateOf(nodeOf(search, state), 1 << choice, false);
}

export function typoGreatest(search: Search, state: u32): u32 {
  const node = nodeOf(search, state);
  return joinedCost(node) + greatest(node, state);
}

function greatest(node: Node, state: u32): u32 {
  if (node.isPhrase) return 0;
  if (node.budget === 0) return 1;
  for (let wanted = greatestClass(node); wanted > 0; wanted--) if (allows(state, wanted)) return wanted;
  return 0;
}
