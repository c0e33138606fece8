/** The proximity rule: documents where neighbours of the query are near each other come first. */

import { memoAdd, memoFind, UNKNOWN } from '../../cache/memo';
import { MEMO_EDGE, MEMO_FAR, MEMO_NEAR, MEMO_PRESENCE } from '../../cache/result-kinds';
import { presenceComponent } from '../../costs/components';
import { Context } from '../../costs/context';
import { edgeComponent, edgeCosts, lowerBackward, lowerForward, lowerShared, NEAR_COSTS } from '../../costs/edges';
import { NearWords, nearWordsCreate, streamSource } from '../../costs/near-words';
import { Occurrences } from '../../costs/occurrences';
import { Source, sourceAt } from '../../costs/sources';
import {
  areTooManyPairs,
  isSamePair,
  keepsPairs,
  pairAt,
  pairCount,
  pairsCreate,
  pushPair,
  readsDistances,
  spreadPair,
} from '../../derive/pairs';
import { runAt, runCount } from '../../derive/runs';
import { copyOf, isLarge, newBitmap, sourceCount, sourcesAt, sourcesCreate } from '../../derive/sources';
import { follows, isContiguous, nodeAt } from '../../graph/graph';
import { Live, Path, pathAt, pathCount, stateAt } from '../../graph/interpretations';
import { PHRASE_SPLIT, phraseAt, phraseCount } from '../../graph/node';
import { allows, documentsOf, nodeOf } from '../../graph/state';
import { Search } from '../../plan/search';
import { alloc } from '../../runtime/arena';
import { bitmapAndNot } from '../../sets/bitmap';
import { Bucket } from '../bucket';
import { greatestSum } from '../greatest';
import { knownOccurrences, occurrencesIn, pushTogether } from '../positions';
import { ROLE_BACKWARD, ROLE_FORWARD_LEFT, ROLE_FORWARD_RIGHT, ROLE_WORDS, roleSources, wordRuns } from '../roles';

/** Of distances greater than those of NEAR_COSTS. */
const FAR_COST: u32 = 3;
/** In place of the left neighbour of the first node. */
export const NO_STATE: u32 = 0xffffffff;
/** The greatest number of runs of a neighbour in a segment: the word, words that start with it, words with one typo and with two. */
const MAX_PAIRED_RUNS: u32 = 4;

export function statesFollow(search: Search, left: u32, right: u32): bool {
  return follows(nodeOf(search, left), nodeOf(search, right));
}

/** The greatest cost of any interpretation. */
export function proximityGreatest(search: Search, live: Live): u32 {
  if (live.initial) {
    const graph = search.graph;
    const weights = alloc(((<usize>graph.nodeCount) << 2) + 4);
    for (let id: u32 = 0; id < graph.nodeCount; id++) {
      const node = nodeAt(graph, id);
      store<u32>(weights + ((<usize>id) << 2), node.size - 1 + (isContiguous(graph, node) ? FAR_COST : 0));
    }
    return greatestSum(graph, weights);
  }
  let greatest: u32 = 0;
  for (let i: u32 = 0; i < pathCount(live.paths); i++) {
    const path = pathAt(live.paths, i);
    let sum: u32 = 0;
    for (let k: u32 = 0; k < path.count; k++) {
      const state = stateAt(path, k);
      sum += nodeOf(search, state).size - 1;
      if (k > 0 && statesFollow(search, stateAt(path, k - 1), state)) sum += FAR_COST;
    }
    greatest = max<u32>(greatest, sum);
  }
  return greatest;
}

/**
 * From positions: writes the addresses of the components of an interpretation (u32 each) to `out`. Returns false when no document
 * satisfies it. The component of two neighbours covers both nodes; a node without a left neighbour must occur in the document.
 */
export function proximityComponents(search: Search, context: Context, path: Path, out: usize): bool {
  for (let k: u32 = 0; k < path.count; k++) {
    const state = stateAt(path, k);
    let component: usize;
    if (k > 0 && statesFollow(search, stateAt(path, k - 1), state)) {
      component = edge(search, context, stateAt(path, k - 1), state);
    } else {
      if (documentsOf(search, state) === 0) return false;
      component = presence(search, context, state);
    }
    store<u32>(out + ((<usize>k) << 2), <u32>component);
  }
  return true;
}

/**
 * Adds the words whose positions {@link proximityComponents} reads for an interpretation to a list for `readTogether`. `isStreamed`: their
 * positions are read for nothing else, so those of right neighbours need not be stored.
 */
export function pushNeighbours(search: Search, context: Context, path: Path, isStreamed: bool, list: usize): void {
  for (let k: u32 = 1; k < path.count; k++) {
    const left = stateAt(path, k - 1);
    const right = stateAt(path, k);
    if (!statesFollow(search, left, right)) continue;
    if (memoFind(search.memo, MEMO_EDGE, changetype<usize>(context), left, right) !== UNKNOWN) continue;
    const isRightStreamed = isStreamed && !search.index.byAttribute;
    pushTogether(search, context, left, ROLE_FORWARD_LEFT, false, list);
    pushTogether(search, context, right, ROLE_FORWARD_RIGHT, isRightStreamed, list);
    pushTogether(search, context, left, ROLE_WORDS, false, list);
    pushTogether(search, context, right, ROLE_BACKWARD, isRightStreamed, list);
  }
}

function presence(search: Search, context: Context, state: u32): usize {
  const owner = changetype<usize>(context);
  const known = memoFind(search.memo, MEMO_PRESENCE, owner, state, 0);
  if (known !== UNKNOWN) return known;
  const component = presenceComponent(owner, documentsOf(search, state), nodeOf(search, state).size - 1);
  return memoAdd(search.memo, MEMO_PRESENCE, owner, state, 0, component);
}

function edge(search: Search, context: Context, left: u32, right: u32): usize {
  const owner = changetype<usize>(context);
  const known = memoFind(search.memo, MEMO_EDGE, owner, left, right);
  if (known !== UNKNOWN) return known;
  const near = nearWordsCreate(context);
  if (search.index.byAttribute) lowerByAttribute(search, near, left, right);
  else lowerByDistance(search, near, left, right);
  const component = edgeComponent(near, nodeOf(search, right).size, documentsOf(search, right));
  return memoAdd(search.memo, MEMO_EDGE, owner, left, right, component);
}

function lowerByAttribute(search: Search, near: NearWords, left: u32, right: u32): void {
  const from = occurrencesIn(search, near.context, left, ROLE_FORWARD_LEFT);
  const to = occurrencesIn(search, near.context, right, ROLE_FORWARD_RIGHT);
  if (from === 0 || to === 0) return;
  lowerShared(near, changetype<Occurrences>(from), changetype<Occurrences>(to), search.plan.fieldFlags);
}

function lowerByDistance(search: Search, near: NearWords, left: u32, right: u32): void {
  const context: Context = near.context;
  const from = occurrencesIn(search, context, left, ROLE_FORWARD_LEFT);
  const to = knownOccurrences(search, context, right, ROLE_FORWARD_RIGHT);
  const words = occurrencesIn(search, context, left, ROLE_WORDS);
  const backward = knownOccurrences(search, context, right, ROLE_BACKWARD);
  const none = sourcesCreate();
  const unread = from !== 0 && to === UNKNOWN ? roleSources(search, right, ROLE_FORWARD_RIGHT) : none;
  const unreadBackward = words !== 0 && backward === UNKNOWN ? roleSources(search, right, ROLE_BACKWARD) : none;
  if (from !== 0 && to !== UNKNOWN && to !== 0) lowerForward(near, changetype<Occurrences>(from), changetype<Occurrences>(to));
  for (let i: u32 = 0; i < sourceCount(unread); i++) {
    const source = sourceAt(sourcesAt(unread), i);
    const isBoth = from === words && hasSource(unreadBackward, source);
    streamSource(near, changetype<Occurrences>(from), source, edgeCosts(true, isBoth));
  }
  if (words !== 0 && backward !== UNKNOWN && backward !== 0) {
    lowerBackward(near, changetype<Occurrences>(words), changetype<Occurrences>(backward));
  }
  for (let i: u32 = 0; i < sourceCount(unreadBackward); i++) {
    const source = sourceAt(sourcesAt(unreadBackward), i);
    if (from === words && hasSource(unread, source)) continue;
    streamSource(near, changetype<Occurrences>(words), source, edgeCosts(false, true));
  }
}

function hasSource(sources: usize, wanted: Source): bool {
  for (let i: u32 = 0; i < sourceCount(sources); i++) {
    if (memory.compare(changetype<usize>(sourceAt(sourcesAt(sources), i)), changetype<usize>(wanted), offsetof<Source>()) === 0)
      return true;
  }
  return false;
}

/** From sets of documents: the first node has one choice, each further node one for each distance from its left neighbour. */
export function nearChoices(search: Search, state: u32, left: u32): u32 {
  return left === NO_STATE || !statesFollow(search, left, state) ? 1 : NEAR_COSTS + 1;
}

export function nearChoiceDocuments(search: Search, state: u32, left: u32, choice: u32): usize {
  if (left === NO_STATE || !statesFollow(search, left, state)) return documentsOf(search, state);
  return choice === FAR_COST ? farDocuments(search, left, state) : nearDocuments(search, left, state, choice);
}

/** The documents where the least distance of two neighbours has a cost; 0: none. */
function nearDocuments(search: Search, left: u32, right: u32, cost: u32): usize {
  const known = memoFind(search.memo, MEMO_NEAR, cost, left, right);
  if (known !== UNKNOWN) return known;
  const documents = newBitmap(search);
  const pairs = pairsOf(search, left, right);
  let count: u32 = 0;
  for (let i: u32 = 0; i < pairCount(pairs); i++) count += spreadPair(search, pairAt(pairs, i), cost, documents);
  for (let better: u32 = 0; better < cost && count > 0; better++) {
    const nearer = nearDocuments(search, left, right, better);
    if (nearer !== 0) bitmapAndNot(documents, nearer, search.bytes);
  }
  return memoAdd(search.memo, MEMO_NEAR, cost, left, right, count > 0 ? documents : 0);
}

/** The documents of the right node where the neighbours are not near each other. */
function farDocuments(search: Search, left: u32, right: u32): usize {
  const known = memoFind(search.memo, MEMO_FAR, 0, left, right);
  if (known !== UNKNOWN) return known;
  const all = documentsOf(search, right);
  const rest = all === 0 ? newBitmap(search) : copyOf(search, all);
  for (let cost: u32 = 0; cost < NEAR_COSTS; cost++) {
    const nearer = nearDocuments(search, left, right, cost);
    if (nearer !== 0) bitmapAndNot(rest, nearer, search.bytes);
  }
  return memoAdd(search.memo, MEMO_FAR, 0, left, right, rest);
}

/** The pairs of runs of two neighbours in the same segment: a Buffer of Pair. */
function pairsOf(search: Search, left: u32, right: u32): usize {
  const pairs = pairsCreate();
  addPairs(search, left, right, pairs);
  return pairs;
}

function addPairs(search: Search, left: u32, right: u32, pairs: usize): void {
  const from = wordRuns(search, left, false);
  const to = wordRuns(search, right, false);
  const backward = wordRuns(search, right, true);
  for (let i: u32 = 0; i < runCount(from); i++) {
    for (let k: u32 = 0; k < runCount(to); k++) {
      if (runAt(from, i).segment !== runAt(to, k).segment) continue;
      pushPair(pairs, runAt(from, i), runAt(to, k), contains(backward, to, k));
    }
  }
}

/** Whether a run of one list is in another list. */
function contains(runs: usize, others: usize, index: u32): bool {
  const wanted = runAt(others, index);
  for (let i: u32 = 0; i < runCount(runs); i++) {
    const run = runAt(runs, i);
    if (run.segment === wanted.segment && run.from === wanted.from && run.to === wanted.to) return true;
  }
  return false;
}

/** The pairs of neighbours of a bucket, each once: a Buffer of Pair. 0 when proximity cannot be ranked by their sets. */
export function pairsOfBucket(search: Search, bucket: Bucket): usize {
  if (!readsDistances(search)) return 0;
  const paths = bucket.live.paths;
  for (let i: u32 = 0; i < pathCount(paths); i++) if (!arePlainWords(search, pathAt(paths, i))) return 0;
  // Interpretations share neighbours; spending is recorded once per pair.
  const pairs = pairsCreate();
  for (let i: u32 = 0; i < pathCount(paths); i++) {
    const path = pathAt(paths, i);
    for (let k: u32 = 1; k < path.count; k++) {
      if (!statesFollow(search, stateAt(path, k - 1), stateAt(path, k))) continue;
      const own = pairsOf(search, stateAt(path, k - 1), stateAt(path, k));
      for (let p: u32 = 0; p < pairCount(own); p++) {
        const pair = pairAt(own, p);
        let isNew = true;
        for (let o: u32 = 0; o < pairCount(pairs) && isNew; o++) isNew = !isSamePair(pairAt(pairs, o), pair);
        if (isNew) pushPair(pairs, pair.left, pair.right, pair.backward);
      }
    }
  }
  return pairs;
}

/**
 * Whether a large bucket is ranked by sets of documents. Missing sets are computed if that has become worthwhile. `isStaged`: few documents may
 * be read without them, which is recorded then.
 */
export function isRankedBySets(search: Search, bucket: Bucket, isStaged: bool): bool {
  if (!isLarge(search, bucket.count)) return false;
  const pairs = pairsOfBucket(search, bucket);
  if (pairs === 0 || (isStaged && areTooManyPairs(search, pairs))) return false;
  return keepsPairs(search, pairs, isStaged ? 0 : <f64>bucket.count * <f64>search.plan.postingsPerDocument);
}

/** Whether a path has at least two nodes, each of which represents only few runs of words. */
export function arePlainWords(search: Search, path: Path): bool {
  for (let k: u32 = 0; k < path.count; k++) if (!isPlainWord(search, stateAt(path, k))) return false;
  return path.count > 1;
}

/** Whether a state represents only few runs of words, and no phrases. */
export function isPlainWord(search: Search, state: u32): bool {
  const node = nodeOf(search, state);
  if (node.size !== 1) return false;
  for (let i: u32 = 0; i < phraseCount(node); i++) {
    if (phraseAt(node, i).kind !== PHRASE_SPLIT || allows(state, 1)) return false;
  }
  return runCount(wordRuns(search, state, false)) <= MAX_PAIRED_RUNS * search.plan.segments.count;
}
