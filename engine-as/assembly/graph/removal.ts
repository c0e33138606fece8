/** Which nodes may be dropped, as group numbers by node; the lowest group is dropped first. */
import { newBitmap } from '../derive/sources';
import { STRATEGY_ALL, STRATEGY_FREQUENCY } from '../plan/plan';
import { Search } from '../plan/search';
import { alloc } from '../runtime/arena';
import { bitmapCount, bitmapOr } from '../sets/bitmap';
import { nodeAt } from './graph';

/** The group of the nodes that must not be dropped. */
export const REQUIRED: u32 = 0xffffffff;

export function groupOf(search: Search, node: u32): u32 {
  return load<u32>(search.groups + ((<usize>node) << 2));
}

function setGroup(groups: usize, node: u32, group: u32): void {
  store<u32>(groups + ((<usize>node) << 2), group);
}

/** Fills in `search.groups`; nothing may be dropped when all words are required. */
export function findGroups(search: Search): void {
  const graph = search.graph;
  search.groups = 0;
  if (graph.termCount === 0 || search.plan.strategy === STRATEGY_ALL) return;
  const order = search.plan.strategy === STRATEGY_FREQUENCY ? byFrequency(search) : byPlace(graph.termCount);
  const groups = alloc(((<usize>graph.nodeCount) << 2) + 4);
  search.groups = groups;
  let last: u32 = 0;
  let anyPhrase = false;
  for (let id: u32 = 0; id < graph.nodeCount; id++) {
    const node = nodeAt(graph, id);
    let group: u32 = 0;
    for (let term = node.first; term <= node.last; term++) group = max<u32>(group, load<u32>(order + ((<usize>term) << 2)));
    setGroup(groups, id, node.isPhrase ? REQUIRED : group);
    if (node.isPhrase) anyPhrase = true;
    else last = max<u32>(last, group);
  }
  // Without a phrase at least one term must stay.
  if (anyPhrase) return;
  for (let id: u32 = 0; id < graph.nodeCount; id++) if (groupOf(search, id) === last) setGroup(groups, id, REQUIRED);
}

/** The last term is in group 1. */
function byPlace(count: u32): usize {
  const order = alloc((<usize>count) << 2);
  for (let term: u32 = 0; term < count; term++) store<u32>(order + ((<usize>term) << 2), count - term);
  return order;
}

/**
 * The most frequent term is in group 1; a term that no document contains comes before all others; equal frequencies share a
 * group.
 */
function byFrequency(search: Search): usize {
  const graph = search.graph;
  const count = graph.termCount;
  const frequencies = alloc((<usize>count) << 2);
  const union = newBitmap(search);
  for (let term: u32 = 0; term < count; term++) {
    memory.fill(union, 0, search.bytes);
    for (let id: u32 = 0; id < graph.nodeCount; id++) {
      const node = nodeAt(graph, id);
      if (node.first <= term && term <= node.last && node.documents !== 0) bitmapOr(union, node.documents, search.bytes);
    }
    const documents = bitmapCount(union, search.bytes);
    store<u32>(frequencies + ((<usize>term) << 2), documents === 0 ? 0xffffffff : documents);
  }
  const order = alloc((<usize>count) << 2);
  for (let term: u32 = 0; term < count; term++) {
    // One more than the number of distinct higher frequencies.
    let place: u32 = 1;
    for (let other: u32 = 0; other < count; other++) {
      const frequency = load<u32>(frequencies + ((<usize>other) << 2));
      if (frequency > load<u32>(frequencies + ((<usize>term) << 2)) && isFirst(frequencies, other)) place++;
    }
    store<u32>(order + ((<usize>term) << 2), place);
  }
  return order;
}

/** Whether no earlier entry has the same value. */
function isFirst(values: usize, index: u32): bool {
  const value = load<u32>(values + ((<usize>index) << 2));
  for (let i: u32 = 0; i < index; i++) if (load<u32>(values + ((<usize>i) << 2)) === value) return false;
  return true;
}
