/**
 * A trie of pieces of text while they are learned: a hash table of its edges, with open addressing. Node 0 is the root, node b + 1 its child for
 * byte b; nodes are numbered in the order of their creation, so parents have lower numbers than their children.
 *
 * Learning is a walk along edges that are far apart in memory, so the table has few bytes. An edge stores only the bits of its key that do
 * not follow from its place: keys are mixed by a bijection, whose highest bits are the first place for an edge.
 *
 *   edge = child (18 bits) · whether the child has a value (1) · places from the first one (5) · lowest bits of the mixed key (8)
 */
import { alloc, allocZeroed } from '../runtime/arena';

const BYTE_BITS: u32 = 8;
const NODE_BITS: u32 = 18;
/** Of a key: the parent and the byte. */
const KEY_MASK: u32 = (1 << (NODE_BITS + BYTE_BITS)) - 1;
/** An odd number, so that the product of a key, without its higher bits, is another one for each key. */
const MIXER: u32 = 0x9e3779b1;

const PLACE_BITS: u32 = 18;
const PLACE_MASK: u32 = (1 << PLACE_BITS) - 1;
const REST_BITS: u32 = NODE_BITS + BYTE_BITS - PLACE_BITS;
const REST_MASK: u32 = (1 << REST_BITS) - 1;
const DISTANCE_BITS: u32 = 5;
/** An edge one place further from its first one. */
const FURTHER: u32 = 1 << REST_BITS;
/** Distance and rest. */
const MATCH_MASK: u32 = (1 << (REST_BITS + DISTANCE_BITS)) - 1;
const VALUE_BIT: u32 = 1 << (REST_BITS + DISTANCE_BITS);
const CHILD_SHIFT: u32 = REST_BITS + DISTANCE_BITS + 1;

/** So that three eighths of the places stay free. */
export const NODES_MOST: u32 = (1 << PLACE_BITS) - (3 << (PLACE_BITS - 3));
const FIRST_NODE: u32 = 257;

@unmanaged
export class Trie {
  /** u32[PLACE_MASK + 1]: edges, 0 where there is none. Those of the root are not in the table. */
  edges: usize;
  /** u32[NODES_MOST]: a number for each node, at first 0 */
  values: usize;
  /** u32[NODES_MOST]: where each node came from: `parent << 8 | byte` */
  parents: usize;
  nodes: u32;
}

export function trieCreate(): Trie {
  const trie = changetype<Trie>(alloc(offsetof<Trie>()));
  trie.edges = allocZeroed((<usize>PLACE_MASK + 1) << 2);
  trie.values = allocZeroed((<usize>NODES_MOST) << 2);
  trie.parents = alloc((<usize>NODES_MOST) << 2);
  for (let byte: u32 = 0; byte < FIRST_NODE - 1; byte++) store<u32>(trie.parents + ((<usize>nodeOfByte(byte)) << 2), byte);
  trie.nodes = FIRST_NODE;
  return trie;
}

export function trieClear(trie: Trie): void {
  memory.fill(trie.edges, 0, (<usize>PLACE_MASK + 1) << 2);
  memory.fill(trie.values, 0, (<usize>trie.nodes) << 2);
  trie.nodes = FIRST_NODE;
}

export function nodeOfByte(byte: u32): u32 {
  return byte + 1;
}

export function edgeChild(edge: u32): u32 {
  return edge >>> CHILD_SHIFT;
}

export function edgeHasValue(edge: u32): bool {
  return (edge & VALUE_BIT) !== 0;
}

/** The edge of a node other than the root for a byte; 0: it has none. */
export function trieEdge(trie: Trie, node: u32, byte: u32): u32 {
  const mixed = (((node << BYTE_BITS) | byte) * MIXER) & KEY_MASK;
  let place = mixed >>> REST_BITS;
  for (let sought = mixed & REST_MASK; sought <= MATCH_MASK; sought += FURTHER) {
    const edge = load<u32>(trie.edges + ((<usize>place) << 2));
    if (edge === 0 || (edge & MATCH_MASK) === sought) return edge;
    place = (place + 1) & PLACE_MASK;
  }
  return 0;
}

/** The address of the edge with a key, which is made if there is none; 0: there is no room. */
function edgeMade(trie: Trie, key: u32): usize {
  const mixed = (key * MIXER) & KEY_MASK;
  let place = mixed >>> REST_BITS;
  for (let sought = mixed & REST_MASK; sought <= MATCH_MASK; sought += FURTHER) {
    const at = trie.edges + ((<usize>place) << 2);
    const edge = load<u32>(at);
    if (edge !== 0 && (edge & MATCH_MASK) === sought) return at;
    if (edge === 0) {
      store<u32>(trie.parents + ((<usize>trie.nodes) << 2), key);
      store<u32>(at, (trie.nodes++ << CHILD_SHIFT) | sought);
      return at;
    }
    place = (place + 1) & PLACE_MASK;
  }
  return 0;
}

/** The node of the text of another node, not the root, and `length` more bytes, which now has a value; 0: there is no room, or it had one. */
export function trieExtend(trie: Trie, node: u32, text: usize, length: u32): u32 {
  if (trie.nodes + length > NODES_MOST) return 0;
  let last: usize = 0;
  let child = node;
  for (let i: u32 = 0; i < length; i++) {
    last = edgeMade(trie, (child << BYTE_BITS) | <u32>load<u8>(text + i));
    if (last === 0) return 0;
    child = edgeChild(load<u32>(last));
  }
  if (edgeHasValue(load<u32>(last))) return 0;
  store<u32>(last, load<u32>(last) | VALUE_BIT);
  return child;
}

/** The node of a text, which now has a value; 0: there is no room, or it had one. Texts of one byte always have nodes. */
export function trieInsert(trie: Trie, text: usize, length: u32): u32 {
  const node = nodeOfByte(load<u8>(text));
  return length === 1 ? node : trieExtend(trie, node, text + 1, length - 1);
}

export function valueAt(trie: Trie, node: u32): u32 {
  return load<u32>(trie.values + ((<usize>node) << 2));
}

export function setValue(trie: Trie, node: u32, value: u32): void {
  store<u32>(trie.values + ((<usize>node) << 2), value);
}
