/**
 * Dense numbers (0, 1, 2 …) for the documents of a small bucket. While the rules divide the bucket, sets of documents are bitmaps
 * over these few numbers instead of over all slots of the index. Postings and hits use slots, so the slot of each number is
 * listed.
 */

import { memoCreate } from '../cache/memo';
import { Context } from '../costs/context';
import { isLarge } from '../derive/sources';
import { nodeAt } from '../graph/graph';
import { Live, pathAt, pathCount, stateAt } from '../graph/interpretations';
import { Node } from '../graph/node';
import { nodeOf } from '../graph/state';
import { Numbering, slotOf } from '../plan/numbering';
import { needsNoWords, RULE_FIELD } from '../plan/plan';
import { Search } from '../plan/search';
import { alloc, allocZeroed } from '../runtime/arena';
import { bitmapBytes } from '../segment/layout';
import { bitmapFill } from '../sets/bitmap';
import { bitmapFirst } from '../sets/members';
import { Bucket, bucketOf, ruleAt } from './bucket';
import { MUCH_SMALLER } from './positions';

/** Smallest bucket that is numbered: in a smaller one there is nothing to order. */
const MIN_DOCUMENTS: u32 = 2;

/**
 * Whether a bucket gets dense numbers. Not when rules read distances or similarities by slot, nor when occurrences that were read for a
 * larger bucket can be reused.
 */
export function isNumbered(search: Search, bucket: Bucket): bool {
  if (changetype<usize>(search.numbering) !== 0 || bucket.count < MIN_DOCUMENTS || isLarge(search, bucket.count)) return false;
  const plan = search.plan;
  if (!search.inOneMemory || plan.isDistinct || plan.threshold >= 0) return false;
  const context: Context = bucket.context;
  if (changetype<usize>(context) !== 0 && bucket.count * MUCH_SMALLER >= context.count) return false;
  for (let rule: u32 = 0; rule < plan.ruleCount; rule++) {
    const kind = ruleAt(search, rule).kind;
    if (needsNoWords(kind) && kind !== RULE_FIELD) return false;
  }
  return true;
}

/**
 * Numbers the documents of a bucket.
 * @returns the same bucket over numbers. Until {@link leave} is called, the bitmaps of the search are over numbers.
 */
export function enter(search: Search, bucket: Bucket): Bucket {
  const numbering = changetype<Numbering>(alloc(offsetof<Numbering>()));
  const count = bucket.count;
  numbering.count = count;
  numbering.slots = alloc(((<usize>count) << 2) + 16);
  if (bucket.slots === 0) bitmapFirst(bucket.bitmap, search.bytes, count, numbering.slots);
  else memory.copy(numbering.slots, bucket.slots, (<usize>count) << 2);
  numbering.within = bucket.bitmap;
  numbering.slotBytes = search.bytes;
  numbering.memo = search.memo;
  const graph = search.graph;
  const bytes = <usize>graph.nodeCount * offsetof<Node>();
  numbering.nodes = alloc(bytes);
  memory.copy(numbering.nodes, graph.nodes, bytes);
  search.bytes = bitmapBytes(count);
  search.memo = memoCreate();
  numberNodes(search, numbering, bucket.live);
  search.numbering = numbering;
  const all = allocZeroed(search.bytes);
  bitmapFill(all, count);
  return bucketOf(all, count, bucket.live, changetype<Context>(0), bucket.step);
}

/** Returns to bitmaps over slots. */
export function leave(search: Search): void {
  const numbering = search.numbering;
  const graph = search.graph;
  memory.copy(graph.nodes, numbering.nodes, <usize>graph.nodeCount * offsetof<Node>());
  const inner = search.memo;
  search.memo = numbering.memo;
  search.bytes = numbering.slotBytes;
  search.numbering = changetype<Numbering>(0);
  // Memory from memoKeep outlives the bucket.
  if (inner.floors === 0) return;
  search.memo.floor = inner.floor;
  search.memo.floors += inner.floors;
}

/** Converts the bitmaps of the nodes that the interpretations contain. */
function numberNodes(search: Search, numbering: Numbering, live: Live): void {
  const graph = search.graph;
  const seen = allocZeroed(graph.nodeCount);
  for (let i: u32 = 0; i < pathCount(live.paths); i++) {
    const path = pathAt(live.paths, i);
    for (let k: u32 = 0; k < path.count; k++) {
      const id = nodeOf(search, stateAt(path, k)).id;
      if (load<u8>(seen + id)) continue;
      store<u8>(seen + id, 1);
      numberNode(search, numbering, nodeAt(graph, id));
    }
  }
}

function numberNode(search: Search, numbering: Numbering, node: Node): void {
  const exact = node.exact;
  const classZero = node.classZero;
  const always = node.always;
  const documents = node.documents;
  node.exact = numbered(search, numbering, exact);
  node.classZero = classZero === exact ? node.exact : numbered(search, numbering, classZero);
  node.documents = documents === classZero ? node.classZero : numbered(search, numbering, documents);
  node.always = always === documents ? node.documents : numbered(search, numbering, always);
  node.classOne = numbered(search, numbering, node.classOne);
  node.classTwo = numbered(search, numbering, node.classTwo);
}

/** Converts a bitmap over slots into one over numbers; 0 when it is empty. */
function numbered(search: Search, numbering: Numbering, bitmap: usize): usize {
  if (bitmap === 0) return 0;
  const numbers = allocZeroed(search.bytes);
  let any: u64 = 0;
  let bits: u64 = 0;
  for (let number: u32 = 0; number < numbering.count; number++) {
    const slot = slotOf(numbering, number);
    bits |= ((<u64>load<u8>(bitmap + (slot >>> 3)) >>> (slot & 7)) & 1) << (number & 63);
    if ((number & 63) !== 63 && number + 1 !== numbering.count) continue;
    store<u64>(numbers + ((<usize>(number >>> 6)) << 3), bits);
    any |= bits;
    bits = 0;
  }
  return any === 0 ? 0 : numbers;
}
