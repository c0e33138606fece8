/** Interpretations of a query: sequences of nodes that cover its terms. */
import { Search } from '../plan/search';
import { alloc } from '../runtime/arena';
import { Buffer, bufferCreate, bufferRoom } from '../runtime/buffer';
import { nodeAt } from './graph';
import { Node } from './node';
import { MAX_TERMS } from './query';
import { ANY_CLASS, stateOf } from './state';

/** One interpretation: `count` states of nodes, u16 each. */
@unmanaged
export class Path {
  count: u32;
  // u16[MAX_TERMS] follow
}

export const PATH_BYTES: usize = (offsetof<Path>() + ((<usize>MAX_TERMS) << 1) + 3) & ~3;

/** The interpretations that documents of a bucket may still satisfy, in the order in which documents are assigned to them. */
@unmanaged
export class Live {
  /** Buffer of Path */
  paths: usize;
  /** whether these are all interpretations, before any rule: maxima include those that no document satisfies */
  initial: bool;
}

export function liveCreate(initial: bool): Live {
  const live = changetype<Live>(alloc(offsetof<Live>()));
  live.paths = pathsCreate();
  live.initial = initial;
  return live;
}

export function pathsCreate(): usize {
  return bufferCreate(4 * PATH_BYTES);
}

export function pathCount(paths: usize): u32 {
  return <u32>(changetype<Buffer>(paths).length / PATH_BYTES);
}

export function pathAt(paths: usize, index: u32): Path {
  return changetype<Path>(changetype<Buffer>(paths).data + <usize>index * PATH_BYTES);
}

export function stateAt(path: Path, index: u32): u32 {
  return load<u16>(changetype<usize>(path) + offsetof<Path>() + ((<usize>index) << 1));
}

export function setState(path: Path, index: u32, state: u32): void {
  store<u16>(changetype<usize>(path) + offsetof<Path>() + ((<usize>index) << 1), <u16>state);
}

export function pathCreate(): Path {
  const path = changetype<Path>(alloc(PATH_BYTES));
  path.count = 0;
  return path;
}

/** Whether a list has a path that is equal to another one. */
export function hasPath(paths: usize, path: Path): bool {
  const bytes = offsetof<Path>() + ((<usize>path.count) << 1);
  for (let i: u32 = 0; i < pathCount(paths); i++) {
    if (memory.compare(changetype<usize>(pathAt(paths, i)), changetype<usize>(path), bytes) === 0) return true;
  }
  return false;
}

/** Adds a copy of a path unless an equal one exists. */
export function pushNewPath(paths: usize, path: Path): void {
  if (!hasPath(paths, path)) pushPath(paths, path);
}

export function pushPath(paths: usize, path: Path): void {
  memory.copy(bufferRoom(paths, PATH_BYTES), changetype<usize>(path), PATH_BYTES);
  changetype<Buffer>(paths).length += PATH_BYTES;
}

/** All interpretations whose joined words occur in some document, in visit order. */
export function interpretations(search: Search): Live {
  const live = liveCreate(true);
  extend(search, live, pathCreate(), 0);
  return live;
}

function extend(search: Search, live: Live, path: Path, from: u32): void {
  const graph = search.graph;
  if (from === graph.termCount) {
    pushPath(live.paths, path);
    return;
  }
  for (let id: u32 = 0; id < graph.nodeCount; id++) {
    const node: Node = nodeAt(graph, id);
    if (node.first !== from || (node.isNgram && node.documents === 0)) continue;
    setState(path, path.count, stateOf(node, ANY_CLASS, false));
    path.count++;
    extend(search, live, path, node.last + 1);
    path.count--;
  }
}

/** Bit set of the terms that a path covers. */
export function termsOf(search: Search, path: Path): u32 {
  let terms: u32 = 0;
  for (let i: u32 = 0; i < path.count; i++) terms += nodeAt(search.graph, stateAt(path, i) >>> 4).size;
  return terms;
}
