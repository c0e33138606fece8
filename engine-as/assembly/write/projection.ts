/**
 * Writes the retrieved members of a document. Selected values are copied. On the way to a nested path scalars are kept and other
 * members dropped: `{"n": ["x", {"o": 1, "p": 2}, {"p": 3}]}` with `n.o` gives `"n": ["x", {"o": 1}, {}]`.
 */
import { CLOSE_ARRAY, CLOSE_OBJECT, COLON, COMMA, OPEN_ARRAY, OPEN_OBJECT, QUOTE } from '../json/signs';
import { stringEnd, stringEscaped } from '../json/strings';
import { nextItem, skipBlanks, skipValue } from '../json/values';
import { Output } from './output';
import { childOf, PathNode, PathTree } from './path-tree';
import { SHARE_NONE, SHARE_PART } from './plan';

/** Writes the members that are retrieved, without the braces around them. The document ends before `end`. */
export function writeProjection(json: usize, end: usize, tree: PathTree, out: Output): void {
  if (tree.root.retrieved !== SHARE_NONE) projectMembers(skipBlanks(json, end), end, tree, tree.root, out);
}

/** Copies all members of a document. */
export function writeWhole(json: usize, end: usize, out: Output): void {
  const from = skipBlanks(skipBlanks(json, end) + 1, end);
  let to = end - 1;
  while (load<u8>(to) !== CLOSE_OBJECT) to--;
  if (from < to) out.copy(from, to - from);
}

/** Writes what is retrieved of the object at `at` and returns its end. */
function projectMembers(at: usize, end: usize, tree: PathTree, node: PathNode, out: Output): usize {
  const start = out.length;
  let expected = node.firstChild;
  at = skipBlanks(at + 1, end);
  while (load<u8>(at) === QUOTE) {
    const close = stringEnd(at + 1, end);
    const child = childOf(tree, node, at + 1, <u32>(close - at - 1), stringEscaped(), expected);
    expected = child.next;
    const value = skipBlanks(skipBlanks(close + 1, end) + 1, end);
    if (child.retrieved === SHARE_NONE) {
      at = skipValue(value, end);
    } else {
      if (out.length > start) out.byte(COMMA);
      out.copy(at, close + 1 - at);
      out.byte(COLON);
      at = projectValue(value, end, tree, child, out);
    }
    at = nextItem(at, end);
  }
  return at + 1;
}

function projectValue(at: usize, end: usize, tree: PathTree, node: PathNode, out: Output): usize {
  const first: u32 = load<u8>(at);
  if (node.retrieved === SHARE_PART && first === OPEN_OBJECT) {
    out.byte(OPEN_OBJECT);
    at = projectMembers(at, end, tree, node, out);
    out.byte(CLOSE_OBJECT);
    return at;
  }
  if (node.retrieved === SHARE_PART && first === OPEN_ARRAY) {
    out.byte(OPEN_ARRAY);
    at = skipBlanks(at + 1, end);
    for (let separate = false; load<u8>(at) !== CLOSE_ARRAY; separate = true) {
      if (separate) out.byte(COMMA);
      at = nextItem(projectValue(at, end, tree, node, out), end);
    }
    out.byte(CLOSE_ARRAY);
    return at + 1;
  }
  const stop = skipValue(at, end);
  out.copy(at, stop - at);
  return stop;
}
