/** The second part of the exactness rule: documents with more words in their exact form come first. */

import { memoAdd, memoFind, UNKNOWN } from '../../cache/memo';
import { MEMO_INEXACT } from '../../cache/result-kinds';
import { copyOf } from '../../derive/sources';
import { classesOf, documentsOf, nodeOf, stateOf } from '../../graph/state';
import { Search } from '../../plan/search';
import { bitmapDifference } from '../../sets/bitmap';

/** Two choices: the exact form, or any other. */
export const EXACT_CHOICES: u32 = 2;
const EXACT: u32 = 0;

/** The documents that contain the exact form of a node, if its state allows this form; 0: none. */
function exactDocuments(search: Search, state: u32): usize {
  const node = nodeOf(search, state);
  if (node.isPhrase) return node.documents;
  return node.isNgram || !(classesOf(state) & 1) ? 0 : node.exact;
}

export function exactWordsCost(search: Search, state: u32, choice: u32): u32 {
  return choice === EXACT ? 0 : nodeOf(search, state).size;
}

export function exactWordsDocuments(search: Search, state: u32, choice: u32): usize {
  const all = documentsOf(search, state);
  if (all === 0) return 0;
  const exact = exactDocuments(search, state);
  if (choice === EXACT) return exact;
  if (exact === 0) return all;
  const known = memoFind(search.memo, MEMO_INEXACT, 0, state, 0);
  if (known !== UNKNOWN) return known;
  const rest = copyOf(search, all);
  const any = bitmapDifference(rest, all, exact, search.bytes);
  return memoAdd(search.memo, MEMO_INEXACT, 0, state, 0, any ? rest : 0);
}

export function exactWordsNext(search: Search, state: u32, choice: u32): u32 {
  return choice === EXACT ? stateOf(nodeOf(search, state), classesOf(state), true) : state;
}

export function exactWordsGreatest(search: Search, state: u32): u32 {
  return nodeOf(search, state).size;
}
