/**
 * A node as an interpretation may use it: with the classes that earlier rules left, or with its exact form only. A state is a number:
 *
 *   node << 4 | exact form only << 3 | bit set of classes
 */

import { memoAdd, memoFind, UNKNOWN } from '../cache/memo';
import { MEMO_DOCUMENTS, MEMO_LOWEST } from '../cache/result-kinds';
import { copyOf, unionOf } from '../derive/sources';
import { Search } from '../plan/search';
import { bitmapDifference } from '../sets/bitmap';
import { nodeAt } from './graph';
import { CLASSES, classDocuments, Node } from './node';

export const ANY_CLASS: u32 = 7;
const EXACT_ONLY: u32 = 8;
const NODE_SHIFT: u32 = 4;

export function stateOf(node: Node, classes: u32, exactOnly: bool): u32 {
  return (node.id << NODE_SHIFT) | (exactOnly ? EXACT_ONLY : 0) | classes;
}

export function nodeOf(search: Search, state: u32): Node {
  return nodeAt(search.graph, state >>> NODE_SHIFT);
}

export function classesOf(state: u32): u32 {
  return state & ANY_CLASS;
}

export function isExactOnly(state: u32): bool {
  return (state & EXACT_ONLY) !== 0;
}

export function allows(state: u32, wanted: u32): bool {
  return !isExactOnly(state) && (state & (1 << wanted)) !== 0;
}

/** The documents that satisfy a state; 0: none. */
export function documentsOf(search: Search, state: u32): usize {
  const node = nodeOf(search, state);
  if (!isExactOnly(state) && classesOf(state) === ANY_CLASS) return node.documents;
  const known = memoFind(search.memo, MEMO_DOCUMENTS, 0, state, 0);
  if (known !== UNKNOWN) return known;
  let documents = node.always;
  if (isExactOnly(state)) {
    // A short prefix keeps all its words even when restricted to the exact form.
    const isShortPrefix = !node.isPhrase && node.derivations.prefixIndexed;
    documents = unionOf(search, documents, isShortPrefix ? node.classZero : node.exact);
  } else {
    for (let wanted: u32 = 0; wanted < CLASSES; wanted++) {
      if (allows(state, wanted)) documents = unionOf(search, documents, classDocuments(node, wanted));
    }
  }
  return memoAdd(search.memo, MEMO_DOCUMENTS, 0, state, 0, documents);
}

/** The documents that satisfy a state with a class but with no lower one; 0: none. */
export function lowestDocuments(search: Search, state: u32, wanted: u32): usize {
  if (isExactOnly(state)) return wanted === 0 ? documentsOf(search, state) : 0;
  if (!allows(state, wanted)) return 0;
  const known = memoFind(search.memo, MEMO_LOWEST, 0, state, wanted);
  return known !== UNKNOWN ? known : memoAdd(search.memo, MEMO_LOWEST, 0, state, wanted, lowest(search, state, wanted));
}

function lowest(search: Search, state: u32, wanted: u32): usize {
  const node = nodeOf(search, state);
  const own = classDocuments(node, wanted);
  let isFirst = true;
  for (let lower: u32 = 0; lower < wanted; lower++) if (allows(state, lower)) isFirst = false;
  // What satisfies every class belongs to the lowest one allowed.
  if (isFirst) return unionOf(search, own, node.always);
  if (own === 0) return 0;
  const rest = copyOf(search, own);
  let any = true;
  for (let lower: u32 = 0; lower < wanted && any; lower++) {
    const taken = lowestDocuments(search, state, lower);
    if (taken !== 0) any = bitmapDifference(rest, rest, taken, search.bytes);
  }
  return any ? rest : 0;
}
