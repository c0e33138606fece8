/**
 * Writes `_formatted` of a hit, and finds matches for positions: texts and numbers become formatted texts. Unlike a projection it
 * drops scalars on the way to a nested path, and containers that are empty as a result.
 */
import { CLOSE_ARRAY, CLOSE_OBJECT, COLON, COMMA, OPEN_ARRAY, OPEN_OBJECT, QUOTE } from '../json/signs';
import { stringEnd, stringEscaped } from '../json/strings';
import { nextItem, skipBlanks, skipValue } from '../json/values';
import { alloc } from '../runtime/arena';
import { formatText, TextFormatter } from './formatted-text';
import { addPositions, enterArray, leaveArray, MatchPositions, setItem } from './match-positions';
import { Output } from './output';
import { childOf, PathNode, PathTree } from './path-tree';
import { SHARE_NONE, SHARE_PART, SHARE_WHOLE } from './plan';

@unmanaged
export class FormatWalk {
  tree: PathTree;
  formatter: TextFormatter;
  /** null: positions are not requested. Otherwise displayed fields that are not formatted are visited too. */
  positions: MatchPositions | null;
  /** End of the document. */
  end: usize;
}

export function formatWalkCreate(tree: PathTree, formatter: TextFormatter, positions: MatchPositions | null): FormatWalk {
  const walk = changetype<FormatWalk>(alloc(offsetof<FormatWalk>()));
  walk.tree = tree;
  walk.formatter = formatter;
  walk.positions = positions;
  return walk;
}

/** Walks over a document; writes the object of its formatted members if `out` is given. */
export function walkDocument(walk: FormatWalk, json: usize, end: usize, out: Output | null): void {
  walk.end = end;
  if (out !== null) out.byte(OPEN_OBJECT);
  walkMembers(walk, skipBlanks(json, end), walk.tree.root, out);
  if (out !== null) out.byte(CLOSE_OBJECT);
}

/** Writes the formatted members of the object at `at` and returns its end. */
function walkMembers(walk: FormatWalk, at: usize, node: PathNode, out: Output | null): usize {
  const end = walk.end;
  const start: usize = out === null ? 0 : out.length;
  let expected = node.firstChild;
  at = skipBlanks(at + 1, end);
  while (load<u8>(at) === QUOTE) {
    const close = stringEnd(at + 1, end);
    const child = childOf(walk.tree, node, at + 1, <u32>(close - at - 1), stringEscaped(), expected);
    expected = child.next;
    const value = skipBlanks(skipBlanks(close + 1, end) + 1, end);
    if (out !== null && child.formatted !== SHARE_NONE) {
      const mark = out.length;
      if (mark > start) out.byte(COMMA);
      out.copy(at, close + 1 - at);
      out.byte(COLON);
      const before = out.length;
      at = walkValue(walk, value, child, out);
      if (out.length === before) out.length = mark;
    } else if (walk.positions !== null && child.displayed !== SHARE_NONE) {
      at = walkValue(walk, value, child, null);
    } else {
      at = skipValue(value, end);
    }
    at = nextItem(at, end);
  }
  return at + 1;
}

/** Writes a value, or nothing when nothing of it is selected, and returns its end. */
function walkValue(walk: FormatWalk, at: usize, node: PathNode, out: Output | null): usize {
  const first: u32 = load<u8>(at);
  if (first === OPEN_OBJECT || first === OPEN_ARRAY) return walkNested(walk, at, first, node, out);
  const stop = skipValue(at, walk.end);
  const isText = first === QUOTE;
  const escaped = isText && stringEscaped();
  const written = node.formatted === SHARE_WHOLE ? out : null;
  if (!isText && !startsNumber(first)) {
    if (written !== null) written.copy(at, stop - at);
    return stop;
  }
  const positions = walk.positions;
  const collect = positions !== null && node.displayed === SHARE_WHOLE;
  if (written === null && !collect) return stop;
  formatText(walk.formatter, node, at, stop, escaped, written, collect);
  if (positions !== null && collect) addPositions(positions, node, walk.formatter.matches);
  return stop;
}

function startsNumber(byte: u32): bool {
  return byte === 0x2d || byte - 0x30 < 10;
}

function walkNested(walk: FormatWalk, at: usize, open: u32, node: PathNode, out: Output | null): usize {
  const isObject = open === OPEN_OBJECT;
  const mark: usize = out === null ? 0 : out.length;
  if (out !== null) out.byte(open);
  at = isObject ? walkMembers(walk, at, node, out) : walkItems(walk, at, node, out);
  if (out === null) return at;
  if (out.length === mark + 1 && node.formatted === SHARE_PART) out.length = mark;
  else out.byte(isObject ? CLOSE_OBJECT : CLOSE_ARRAY);
  return at;
}

function walkItems(walk: FormatWalk, at: usize, node: PathNode, out: Output | null): usize {
  const end = walk.end;
  const positions = walk.positions;
  const start: usize = out === null ? 0 : out.length;
  if (positions !== null) enterArray(positions);
  at = skipBlanks(at + 1, end);
  for (let item: u32 = 0; load<u8>(at) !== CLOSE_ARRAY; item++) {
    if (positions !== null) setItem(positions, item);
    if (out === null) {
      at = walkValue(walk, at, node, null);
    } else {
      const mark = out.length;
      if (mark > start) out.byte(COMMA);
      const before = out.length;
      at = walkValue(walk, at, node, out);
      if (out.length === before) out.length = mark;
    }
    at = nextItem(at, end);
  }
  if (positions !== null) leaveArray(positions);
  return at + 1;
}
