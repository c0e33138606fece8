/** What the rules whose cost is a sum of choices have in common: the choices of a node, their costs and documents. */
import { nodeAt } from '../../graph/graph';
import { Live, pathAt, pathCount, stateAt } from '../../graph/interpretations';
import { ANY_CLASS, documentsOf, stateOf } from '../../graph/state';
import { Search } from '../../plan/search';
import { alloc } from '../../runtime/arena';
import { greatestSum } from '../greatest';
import { weightChoices, weightCost, weightDocuments, weightGreatest } from './attribute-rank';
import { EXACT_CHOICES, exactWordsCost, exactWordsDocuments, exactWordsGreatest, exactWordsNext } from './exact-words';
import { nearChoiceDocuments, nearChoices, proximityGreatest } from './proximity';
import { TYPO_CHOICES, typoAllows, typoCost, typoDocuments, typoGreatest, typoNext } from './typo';
import { arePlacesKnown, placeChoices, placeDocuments, placeGreatest } from './word-position';

export const CHOOSE_TYPOS: u32 = 0;
export const CHOOSE_EXACT_WORDS: u32 = 1;
export const CHOOSE_WEIGHTS: u32 = 2;
export const CHOOSE_PLACES: u32 = 3;
export const CHOOSE_NEARNESS: u32 = 4;
/** Places of the words whose costs by position are known; the others cost nothing. */
export const CHOOSE_KNOWN_PLACES: u32 = 5;

export function choicesOf(search: Search, kind: u32, state: u32, left: u32): u32 {
  switch (kind) {
    case CHOOSE_TYPOS:
      return TYPO_CHOICES;
    case CHOOSE_EXACT_WORDS:
      return EXACT_CHOICES;
    case CHOOSE_WEIGHTS:
      return weightChoices(search, state);
    case CHOOSE_PLACES:
      return placeChoices(search, state);
    case CHOOSE_KNOWN_PLACES:
      return arePlacesKnown(search, state) ? placeChoices(search, state) : 1;
    default:
      return nearChoices(search, state, left);
  }
}

export function costOf(search: Search, kind: u32, state: u32, choice: u32): u32 {
  switch (kind) {
    case CHOOSE_TYPOS:
      return typoCost(search, state, choice);
    case CHOOSE_EXACT_WORDS:
      return exactWordsCost(search, state, choice);
    case CHOOSE_WEIGHTS:
      return weightCost(search, state, choice);
    default:
      return choice;
  }
}

/** The documents of a choice as a bitmap, or 0 for none. */
export function choiceDocuments(search: Search, kind: u32, state: u32, left: u32, choice: u32): usize {
  switch (kind) {
    case CHOOSE_TYPOS:
      return typoDocuments(search, state, choice);
    case CHOOSE_EXACT_WORDS:
      return exactWordsDocuments(search, state, choice);
    case CHOOSE_WEIGHTS:
      return weightDocuments(search, state, choice);
    case CHOOSE_PLACES:
      return placeDocuments(search, state, choice);
    case CHOOSE_KNOWN_PLACES:
      return arePlacesKnown(search, state) ? placeDocuments(search, state, choice) : documentsOf(search, state);
    default:
      return nearChoiceDocuments(search, state, left, choice);
  }
}

/** Whether the state of a node for later rules is the same for all of its choices. */
export function keepsStates(kind: u32): bool {
  return kind !== CHOOSE_TYPOS && kind !== CHOOSE_EXACT_WORDS;
}

/** Whether a state has a choice that its interpretation excludes. */
export function isExcluded(kind: u32, state: u32, choice: u32): bool {
  return kind === CHOOSE_TYPOS && !typoAllows(state, choice);
}

/** The state of the node for later rules. */
export function nextOf(search: Search, kind: u32, state: u32, choice: u32): u32 {
  if (kind === CHOOSE_TYPOS) return typoNext(search, state, choice);
  return kind === CHOOSE_EXACT_WORDS ? exactWordsNext(search, state, choice) : state;
}

function greatestOf(search: Search, kind: u32, state: u32): u32 {
  switch (kind) {
    case CHOOSE_TYPOS:
      return typoGreatest(search, state);
    case CHOOSE_EXACT_WORDS:
      return exactWordsGreatest(search, state);
    case CHOOSE_WEIGHTS:
      return weightGreatest(search, state);
    default:
      return placeGreatest(search, state);
  }
}

/** The greatest cost of any interpretation. */
export function greatestCost(search: Search, kind: u32, live: Live): u32 {
  if (kind === CHOOSE_NEARNESS) return proximityGreatest(search, live);
  if (live.initial) {
    const graph = search.graph;
    const weights = alloc(((<usize>graph.nodeCount) << 2) + 4);
    for (let id: u32 = 0; id < graph.nodeCount; id++) {
      const state = stateOf(nodeAt(graph, id), ANY_CLASS, false);
      store<u32>(weights + ((<usize>id) << 2), greatestOf(search, kind, state));
    }
    return greatestSum(graph, weights);
  }
  let greatest: u32 = 0;
  for (let i: u32 = 0; i < pathCount(live.paths); i++) {
    const path = pathAt(live.paths, i);
    let sum: u32 = 0;
    for (let k: u32 = 0; k < path.count; k++) sum += greatestOf(search, kind, stateAt(path, k));
    greatest = max<u32>(greatest, sum);
  }
  return greatest;
}
