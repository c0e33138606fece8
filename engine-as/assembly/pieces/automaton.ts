/**
 * The automaton that divides text into the longest pieces: a trie as a double array. A state is a place in an array of u64; the child for a byte
 * is at the base of the state plus the byte, if what stands there has the state as its parent.
 *
 *   entry = back (5 bits) · code (16) · parent (20) · base (20)
 *
 * Where no child follows, the text up to here, without its last `back` bytes, is the piece with this code.
 */
import { alloc, allocZeroed } from '../runtime/arena';
import { FIRST_SLOT, PIECE_BYTES_MOST } from './decode';
import { Learned, pieceAt } from './learn';
import { nodeOfByte, setValue, Trie, trieClear, trieInsert, valueAt } from './trie';

const PLACE_BITS: u32 = 20;
const PLACE_MASK: u32 = (1 << PLACE_BITS) - 1;
/** The parent of free places. */
const NOTHING: u32 = PLACE_MASK;
const CODE_SHIFT: u32 = PLACE_BITS * 2;
const BACK_SHIFT: u32 = CODE_SHIFT + 16;
/** Places: a mebibyte of them. Pieces that find no room are never found. */
const PLACES: u32 = 1 << 17;
/** Nodes, so that a tenth of the places stays free. */
const NODES_MOST: u32 = PLACES - (PLACES >> 3);
const BYTES: u32 = 256;
export const AUTOMATON_BYTES: usize = (<usize>PLACES + BYTES) << 3;
export const ROOT: u32 = 0;
/** In place of the byte after the end of a text: no state has a child for it. */
export const END: u32 = BYTES;
/** The search for places of several children begins anew behind a place where it failed so often. */
const TRIES_MOST: u32 = 32;

export function entryBase(entry: u64): u32 {
  return <u32>entry & PLACE_MASK;
}

export function entryParent(entry: u64): u32 {
  return <u32>(entry >> PLACE_BITS) & PLACE_MASK;
}

export function entryCode(entry: u64): u32 {
  return <u32>(entry >> CODE_SHIFT);
}

export function entryBack(entry: u64): usize {
  return <usize>(entry >> BACK_SHIFT);
}

/** The edges of a trie, by parent: where those of each node begin, and the children with their bytes. */
@unmanaged
class Edges {
  nodes: u32;
  /** u32[nodes + 1] */
  starts: usize;
  /** u32[]: node << 8 | byte */
  children: usize;
}

let used: usize = 0;
let edges = changetype<Edges>(0);
/** u32[nodes]: base of the children of each node, and the place of each node */
let bases: usize = 0;
let places: usize = 0;

/** Makes the automaton of the pieces with a slot at `out`, which has {@link AUTOMATON_BYTES}. `trie`: is overwritten. */
export function makeAutomaton(learned: Learned, trie: Trie, out: usize): void {
  trieClear(trie);
  for (let i: u32 = 0; i < learned.count; i++) {
    const piece = pieceAt(learned.pieces, i);
    if (piece.slot === 0 || trie.nodes + PIECE_BYTES_MOST > NODES_MOST) continue;
    const node = trieInsert(trie, piece.text, piece.length);
    if (node !== 0) setValue(trie, node, piece.slot);
  }
  // Only damaged documents have such bytes. They become spaces, so that every byte is part of a piece.
  for (let byte: u32 = 0; byte < FIRST_SLOT; byte++) setValue(trie, nodeOfByte(byte), FIRST_SLOT);
  edges = edgesOf(trie.parents, trie.nodes);
  used = allocZeroed(PLACES + BYTES);
  store<u8>(used, 1);
  bases = allocZeroed((<usize>trie.nodes) << 2);
  places = allocZeroed((<usize>trie.nodes) << 2);
  placeChildren();
  fill(trie, out);
}

function edgesOf(parents: usize, nodes: u32): Edges {
  const made = changetype<Edges>(alloc(offsetof<Edges>()));
  made.nodes = nodes;
  made.starts = allocZeroed((<usize>nodes + 2) << 2);
  made.children = alloc((<usize>nodes) << 2);
  // Counted two places further, so that the starts move to where they belong while children are added.
  for (let node: u32 = 1; node < nodes; node++) {
    const counter = made.starts + ((<usize>(load<u32>(parents + ((<usize>node) << 2)) >>> 8) + 2) << 2);
    store<u32>(counter, load<u32>(counter) + 1);
  }
  for (let node: usize = 2; node <= <usize>nodes; node++) {
    const at = made.starts + (node << 2);
    store<u32>(at, load<u32>(at) + load<u32>(at - 4));
  }
  for (let node: u32 = 1; node < nodes; node++) {
    const from = load<u32>(parents + ((<usize>node) << 2));
    const next = made.starts + ((<usize>(from >>> 8) + 1) << 2);
    const place = load<u32>(next);
    store<u32>(next, place + 1);
    store<u32>(made.children + ((<usize>place) << 2), (node << 8) | (from & 255));
  }
  return made;
}

/** Nodes with several children first, so that only children fill the gaps. */
function placeChildren(): void {
  placeAt(ROOT, BYTES);
  let free: u32 = BYTES;
  for (let node: u32 = 1; node < edges.nodes; node++) {
    if (childCount(node) < 2) continue;
    let tries: u32 = 0;
    let base = baseFrom(node, free);
    while (base !== 0 && !fits(node, base)) {
      if (++tries === TRIES_MOST) free = base + firstByte(node);
      base = baseFrom(node, base + firstByte(node) + 1);
    }
    if (base !== 0) placeAt(node, base);
  }
  free = BYTES;
  for (let node: u32 = 1; node < edges.nodes; node++) {
    if (childCount(node) !== 1) continue;
    const base = baseFrom(node, free);
    if (base === 0) return;
    free = base + firstByte(node);
    placeAt(node, base);
  }
}

function childCount(node: u32): u32 {
  const at = edges.starts + ((<usize>node) << 2);
  return load<u32>(at, 4) - load<u32>(at);
}

function firstChild(node: u32): usize {
  return edges.children + ((<usize>load<u32>(edges.starts + ((<usize>node) << 2))) << 2);
}

function firstByte(node: u32): u32 {
  return load<u8>(firstChild(node));
}

/** The base that brings the first child to the first free place from `place` on; 0: there is none. */
function baseFrom(node: u32, place: u32): u32 {
  let at = place;
  while (at < PLACES && load<u8>(used + at)) at++;
  return at < PLACES ? at - firstByte(node) : 0;
}

function fits(node: u32, base: u32): bool {
  const first = firstChild(node);
  const end = first + ((<usize>childCount(node)) << 2);
  for (let at = first; at < end; at += 4) {
    if (load<u8>(used + base + load<u8>(at))) return false;
  }
  return true;
}

function placeAt(node: u32, base: u32): void {
  store<u32>(bases + ((<usize>node) << 2), base);
  const first = firstChild(node);
  const end = first + ((<usize>childCount(node)) << 2);
  for (let at = first; at < end; at += 4) {
    const place = base + load<u8>(at);
    store<u8>(used + place, 1);
    store<u32>(places + ((<usize>(load<u32>(at) >>> 8)) << 2), place);
  }
}

function fill(trie: Trie, out: usize): void {
  const free = (<u64>NOTHING) << PLACE_BITS;
  for (let at = out; at < out + AUTOMATON_BYTES; at += 8) store<u64>(at, free);
  store<u64>(out, free | <u64>load<u32>(bases));
  const backs = allocZeroed((<usize>trie.nodes) << 2);
  for (let node: u32 = 1; node < trie.nodes; node++) {
    const parent = load<u32>(trie.parents + ((<usize>node) << 2)) >>> 8;
    const back = valueAt(trie, node) !== 0 ? 0 : load<u32>(backs + ((<usize>parent) << 2)) + 1;
    store<u32>(backs + ((<usize>node) << 2), back);
    if (back !== 0) setValue(trie, node, valueAt(trie, parent));
    const place = load<u32>(places + ((<usize>node) << 2));
    if (place === 0) continue;
    const entry = ((<u64>back) << BACK_SHIFT) | ((<u64>valueAt(trie, node)) << CODE_SHIFT);
    const links =
      ((<u64>load<u32>(places + ((<usize>parent) << 2))) << PLACE_BITS) | <u64>load<u32>(bases + ((<usize>node) << 2));
    store<u64>(out + ((<usize>place) << 3), entry | links);
  }
}
