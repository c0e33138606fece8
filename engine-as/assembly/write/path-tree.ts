/**
 * The paths of the documents being written, as a tree of members that grows with the documents. Paths do not include positions in
 * arrays.
 */
import { unescapeString } from '../json/strings';
import { alloc, allocZeroed } from '../runtime/arena';
import { FormatPlan, PathRule, ruleOf, SHARE_PART } from './plan';

const DOT: u32 = 0x2e;
const FIRST_BUCKETS: u32 = 64;
const FNV_PRIME: u32 = 0x01000193;

@unmanaged
export class PathNode {
  parent: PathNode | null;
  firstChild: PathNode | null;
  lastChild: PathNode | null;
  /** The next child of the same parent, in the order in which they were found. */
  next: PathNode | null;
  /** The next node of the same bucket. */
  chain: PathNode | null;
  hash: u32;
  /** The name as written in the JSON, without quotes. */
  name: usize;
  nameLength: u32;
  /** Dotted, without escapes. */
  path: usize;
  pathLength: u32;
  rule: PathRule;
  retrieved: u32;
  formatted: u32;
  displayed: u32;
  /** Matches of the hit being written: number of the first and the last record, counted from 1, and the next node that has some. */
  firstMatch: u32;
  lastMatch: u32;
  nextMatched: PathNode | null;
}

@unmanaged
export class PathTree {
  plan: FormatPlan;
  root: PathNode;
  /** PathNode[mask + 1] by parent and name */
  buckets: usize;
  mask: u32;
  count: u32;
  /** Whether some name contains a dot, so that two nodes may share a path. */
  dotted: bool;
}

export function pathTreeCreate(plan: FormatPlan): PathTree {
  const tree = changetype<PathTree>(allocZeroed(offsetof<PathTree>()));
  tree.plan = plan;
  tree.mask = FIRST_BUCKETS - 1;
  tree.buckets = allocZeroed((<usize>FIRST_BUCKETS) << 2);
  const root = changetype<PathNode>(allocZeroed(offsetof<PathNode>()));
  root.rule = ruleOf(plan, 0, 0);
  root.retrieved = plan.retrieved;
  root.formatted = plan.formatted;
  root.displayed = plan.displayed;
  tree.root = root;
  return tree;
}

/**
 * The node of a member of a value at `parent`.
 * @param name, length of the name as written in the JSON; `escaped`: it has escapes
 * @param expected the node to try first: documents mostly have their members in the same order
 */
export function childOf(
  tree: PathTree,
  parent: PathNode,
  name: usize,
  length: u32,
  escaped: bool,
  expected: PathNode | null,
): PathNode {
  if (expected !== null && isNamed(expected, name, length)) return expected;
  let hash: u32 = <u32>changetype<usize>(parent);
  for (let i: u32 = 0; i < length; i++) hash = (hash ^ load<u8>(name + i)) * FNV_PRIME;
  hash ^= hash >>> 15;
  let node = bucketAt(tree, hash);
  while (node !== null) {
    if (node.hash === hash && node.parent === parent && isNamed(node, name, length)) return node;
    node = node.chain;
  }
  return addChild(tree, parent, name, length, escaped, hash);
}

function isNamed(node: PathNode, name: usize, length: u32): bool {
  return node.nameLength === length && memory.compare(node.name, name, length) === 0;
}

function bucketAt(tree: PathTree, hash: u32): PathNode | null {
  return changetype<PathNode | null>(<usize>load<u32>(tree.buckets + ((<usize>(hash & tree.mask)) << 2)));
}

function addChild(tree: PathTree, parent: PathNode, name: usize, length: u32, escaped: bool, hash: u32): PathNode {
  const node = changetype<PathNode>(allocZeroed(offsetof<PathNode>()));
  node.parent = parent;
  node.hash = hash;
  node.name = alloc(length);
  node.nameLength = length;
  memory.copy(node.name, name, length);
  setPath(tree, node, parent, escaped);
  const rule = ruleOf(tree.plan, node.path, node.pathLength);
  node.rule = rule;
  if (parent !== tree.root || !isVectors(node)) {
    node.retrieved = shareOf(parent.retrieved, rule.retrieved);
    node.formatted = shareOf(parent.formatted, rule.formatted);
    node.displayed = shareOf(parent.displayed, rule.displayed);
  }
  const last = parent.lastChild;
  if (last === null) parent.firstChild = node;
  else last.next = node;
  parent.lastChild = node;
  putNode(tree, node);
  if (++tree.count > tree.mask) widen(tree);
  return node;
}

function setPath(tree: PathTree, node: PathNode, parent: PathNode, escaped: bool): void {
  const inner: u32 = parent === tree.root ? 0 : parent.pathLength + 1;
  node.path = alloc(inner + node.nameLength);
  if (inner > 0) {
    memory.copy(node.path, parent.path, parent.pathLength);
    store<u8>(node.path + parent.pathLength, DOT);
  }
  const at = node.path + inner;
  if (escaped) {
    node.pathLength = inner + unescapeString(node.name, node.nameLength, at);
  } else {
    memory.copy(at, node.name, node.nameLength);
    node.pathLength = inner + node.nameLength;
  }
  for (let i = inner; i < node.pathLength; i++) if (load<u8>(node.path + i) === DOT) tree.dotted = true;
}

/** The share of a value, given that of its parent. */
function shareOf(around: u32, own: u32): u32 {
  return around === SHARE_PART ? own : around;
}

/** The bytes of `_vectors`. */
const VECTORS_NAME: u64 = 0x73726f746365765f;

/** `_vectors` is never selected: it is written separately on demand. */
function isVectors(node: PathNode): bool {
  return node.pathLength === 8 && load<u64>(node.path) === VECTORS_NAME;
}

function putNode(tree: PathTree, node: PathNode): void {
  const bucket = tree.buckets + ((<usize>(node.hash & tree.mask)) << 2);
  node.chain = changetype<PathNode | null>(<usize>load<u32>(bucket));
  store<u32>(bucket, <u32>changetype<usize>(node));
}

/** Doubles the number of buckets. */
function widen(tree: PathTree): void {
  const old = tree.buckets;
  const count = tree.mask + 1;
  tree.mask = (count << 1) - 1;
  tree.buckets = allocZeroed((<usize>count) << 3);
  for (let bucket: u32 = 0; bucket < count; bucket++) {
    let node = changetype<PathNode | null>(<usize>load<u32>(old + ((<usize>bucket) << 2)));
    while (node !== null) {
      const after = node.chain;
      putNode(tree, node);
      node = after;
    }
  }
}
