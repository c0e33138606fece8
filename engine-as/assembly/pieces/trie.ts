/**
 * A trie of pieces of text while they are learned: a hash table of its edges, with open addressing. Node 0 is the root, node b + 1 its child for
 * byte b; nodes are numbered in the order of their creation, so parents have lower numbers than their children.
 */
import { alloc, allocZeroed } from '../runtime/arena';

const EDGE_BITS: u32 = 19;
const EDGE_MASK: u32 = (1 << EDGE_BITS) - 1;
/** So that at least half of the table stays free. */
export const NODES_MOST: u32 = 1 << (EDGE_BITS - 1);
const FIRST_NODE: u32 = 257;
const BYTE_BITS: u32 = 8;

/** key: parent << 8 | byte; both are 0 where there is no edge. Those of the root are not in the table. */
@unmanaged
class Edge {
  key: u32;
  /** the child, and whether it has a value */
  child: u32;
}

/** In {@link Edge}: the child has a value, so that those of other nodes are not read. */
export const HAS_VALUE: u32 = 0x80000000;

@unmanaged
export class Trie {
  /** Edge[EDGE_MASK + 1] */
  edges: usize;
  /** u32[NODES_MOST]: what a node stands for; 0: nothing */
  values: usize;
  nodes: u32;
}

export function trieCreate(): Trie {
  const trie = changetype<Trie>(alloc(offsetof<Trie>()));
  trie.edges = allocZeroed(((<usize>1) << EDGE_BITS) * offsetof<Edge>());
  trie.values = allocZeroed((<usize>NODES_MOST) << 2);
  trie.nodes = FIRST_NODE;
  return trie;
}

export function trieClear(trie: Trie): void {
  memory.fill(trie.edges, 0, ((<usize>1) << EDGE_BITS) * offsetof<Edge>());
  memory.fill(trie.values, 0, (<usize>trie.nodes) << 2);
  trie.nodes = FIRST_NODE;
}

export function nodeOfByte(byte: u32): u32 {
  return byte + 1;
}

function firstEdge(key: u32): u32 {
  return (key * 0x9e3779b1) >>> (32 - EDGE_BITS);
}

function edgeAt(trie: Trie, index: u32): Edge {
  return changetype<Edge>(trie.edges + <usize>index * offsetof<Edge>());
}

/** The child of a node other than the root, with {@link HAS_VALUE}; 0: it has none for this byte. */
export function trieChild(trie: Trie, node: u32, byte: u32): u32 {
  const key = (node << BYTE_BITS) | byte;
  let index = firstEdge(key);
  let edge = edgeAt(trie, index);
  while (edge.key !== 0 && edge.key !== key) {
    index = (index + 1) & EDGE_MASK;
    edge = edgeAt(trie, index);
  }
  return edge.child;
}

/** The node of a text that gets a value, which is made if there is room for it; else 0. */
export function trieInsert(trie: Trie, text: usize, length: u32): u32 {
  if (trie.nodes + length > NODES_MOST) return 0;
  let node = nodeOfByte(load<u8>(text));
  for (let i: u32 = 1; i < length; i++) {
    const key = (node << BYTE_BITS) | <u32>load<u8>(text + i);
    let index = firstEdge(key);
    let edge = edgeAt(trie, index);
    while (edge.key !== 0 && edge.key !== key) {
      index = (index + 1) & EDGE_MASK;
      edge = edgeAt(trie, index);
    }
    if (edge.key === 0) {
      edge.key = key;
      edge.child = trie.nodes++;
    }
    node = edge.child & ~HAS_VALUE;
    if (i + 1 === length) edge.child |= HAS_VALUE;
  }
  return node;
}

export function valueAt(trie: Trie, node: u32): u32 {
  return load<u32>(trie.values + ((<usize>node) << 2));
}

export function setValue(trie: Trie, node: u32, value: u32): void {
  store<u32>(trie.values + ((<usize>node) << 2), value);
}

/** Where each node came from: u32[nodes], `parent << 8 | byte`. */
export function trieParents(trie: Trie): usize {
  const parents = alloc((<usize>trie.nodes) << 2);
  for (let byte: u32 = 0; byte < FIRST_NODE - 1; byte++) store<u32>(parents + (nodeOfByte(byte) << 2), byte);
  for (let i: u32 = 0; i <= EDGE_MASK; i++) {
    const edge = edgeAt(trie, i);
    if (edge.key !== 0) store<u32>(parents + ((<usize>(edge.child & ~HAS_VALUE)) << 2), edge.key);
  }
  return parents;
}
