/** `_matchesPosition` of a hit: the matches of its fields, by path. */
import { CLOSE_ARRAY, CLOSE_OBJECT, COLON, COMMA, OPEN_ARRAY, OPEN_OBJECT, QUOTE } from '../json/signs';
import { allocZeroed } from '../runtime/arena';
import { Buffer, bufferCreate, bufferPush32, bufferPushBytes, bufferRoom } from '../runtime/buffer';
import { Match } from './matches';
import { Output } from './output';
import { PathNode, PathTree } from './path-tree';

/** A match, in the list of its path. */
@unmanaged
class PositionRecord {
  /** Number of the next one, counted from 1; 0: none. */
  next: u32;
  /** Bytes of the text. */
  start: u32;
  length: u32;
  /** Position of its text in the enclosing arrays: offset in the places, and number of arrays. */
  places: u32;
  depth: u32;
}

@unmanaged
export class MatchPositions {
  tree: PathTree;
  /** Buffer of PositionRecord */
  records: usize;
  /** Buffer of u32 */
  places: usize;
  /** Buffer of u32: the current items of the enclosing arrays, outermost first */
  items: usize;
  /** Paths with matches, in the order of their first one. */
  first: PathNode | null;
  last: PathNode | null;
}

export function matchPositionsCreate(tree: PathTree): MatchPositions {
  const positions = changetype<MatchPositions>(allocZeroed(offsetof<MatchPositions>()));
  positions.tree = tree;
  positions.records = bufferCreate(32 * offsetof<PositionRecord>());
  positions.places = bufferCreate(256);
  positions.items = bufferCreate(64);
  return positions;
}

/**
 * Adds the matches of a text at a path.
 * @param matches Buffer of Match
 */
export function addPositions(positions: MatchPositions, path: PathNode, matches: usize): void {
  const all = changetype<Buffer>(matches);
  if (all.length === 0) return;
  const node = listed(positions, path);
  const items = changetype<Buffer>(positions.items);
  const places = <u32>changetype<Buffer>(positions.places).length;
  bufferPushBytes(positions.places, items.data, items.length);
  for (let at = all.data; at < all.data + all.length; at += offsetof<Match>()) {
    const match = changetype<Match>(at);
    const record = changetype<PositionRecord>(bufferRoom(positions.records, offsetof<PositionRecord>()));
    changetype<Buffer>(positions.records).length += offsetof<PositionRecord>();
    record.next = 0;
    record.start = match.from;
    record.length = match.to - match.from;
    record.places = places;
    record.depth = <u32>(items.length >>> 2);
    const number = <u32>(changetype<Buffer>(positions.records).length / offsetof<PositionRecord>());
    if (node.firstMatch === 0) node.firstMatch = number;
    else recordAt(positions, node.lastMatch).next = number;
    node.lastMatch = number;
  }
}

function recordAt(positions: MatchPositions, number: u32): PositionRecord {
  return changetype<PositionRecord>(
    changetype<Buffer>(positions.records).data + <usize>(number - 1) * offsetof<PositionRecord>(),
  );
}

/** The node under which the matches of a path are listed: a member `a.b` and a member `b` of `a` share a path. */
function listed(positions: MatchPositions, path: PathNode): PathNode {
  if (path.firstMatch !== 0) return path;
  if (positions.tree.dotted) {
    let node = positions.first;
    while (node !== null) {
      if (node.pathLength === path.pathLength && memory.compare(node.path, path.path, path.pathLength) === 0) return node;
      node = node.nextMatched;
    }
  }
  const last = positions.last;
  if (last === null) positions.first = path;
  else last.nextMatched = path;
  positions.last = path;
  return path;
}

/** Writes the object and clears the matches. */
export function writePositions(positions: MatchPositions, out: Output): void {
  out.byte(OPEN_OBJECT);
  let node = positions.first;
  while (node !== null) {
    if (node !== positions.first) out.byte(COMMA);
    out.byte(QUOTE);
    out.escaped(node.path, node.pathLength);
    out.byte(QUOTE);
    out.byte(COLON);
    writeList(positions, node.firstMatch, out);
    const after = node.nextMatched;
    node.firstMatch = 0;
    node.nextMatched = null;
    node = after;
  }
  out.byte(CLOSE_OBJECT);
  positions.first = null;
  positions.last = null;
  changetype<Buffer>(positions.records).length = 0;
  changetype<Buffer>(positions.places).length = 0;
}

function writeList(positions: MatchPositions, first: u32, out: Output): void {
  out.byte(OPEN_ARRAY);
  for (let number = first; number !== 0; number = recordAt(positions, number).next) {
    const record = recordAt(positions, number);
    if (number !== first) out.byte(COMMA);
    out.ascii('{"start":');
    out.number(record.start);
    out.ascii(',"length":');
    out.number(record.length);
    if (record.depth > 0) writePlaces(changetype<Buffer>(positions.places).data + record.places, record.depth, out);
    out.byte(CLOSE_OBJECT);
  }
  out.byte(CLOSE_ARRAY);
}

function writePlaces(places: usize, depth: u32, out: Output): void {
  out.ascii(',"indices":');
  for (let i: u32 = 0; i < depth; i++) {
    out.byte(i === 0 ? OPEN_ARRAY : COMMA);
    out.number(load<u32>(places + ((<usize>i) << 2)));
  }
  out.byte(CLOSE_ARRAY);
}

/** Enters an array; {@link setItem} sets the current item. */
export function enterArray(positions: MatchPositions): void {
  bufferPush32(positions.items, 0);
}

export function setItem(positions: MatchPositions, item: u32): void {
  const items = changetype<Buffer>(positions.items);
  store<u32>(items.data + items.length - 4, item);
}

export function leaveArray(positions: MatchPositions): void {
  changetype<Buffer>(positions.items).length -= 4;
}
