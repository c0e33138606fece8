/**
 * The values of a document with their paths: objects add a path segment, arrays do not. The walk fills a list of {@link Leaf} in
 * document order. Containers are listed too, except those with content within arrays.
 */
import { Buffer, bufferCreate, bufferRoom } from '../runtime/buffer';
import { childNode, FIELD_LIMIT, fieldCount, NO_FIELD, nodeAssignField, nodeMatches, PathNode, rootNode } from './paths';
import { CLOSE_ARRAY, CLOSE_OBJECT, COLON, COMMA, OPEN_ARRAY, OPEN_OBJECT, QUOTE } from './signs';
import { stringEnd, stringEscaped } from './strings';
import { skipValue } from './values';

export const LEAF_STRING: u8 = 0;
/** A string with escapes. */
export const LEAF_ESCAPED: u8 = 1;
export const LEAF_NUMBER: u8 = 2;
export const LEAF_TRUE: u8 = 3;
export const LEAF_FALSE: u8 = 4;
export const LEAF_NULL: u8 = 5;
export const LEAF_CONTAINER: u8 = 6;

/** The value is an element of an array, not a member of an object. */
export const LEAF_ELEMENT: u8 = 1;
/** An array or object without content. */
export const LEAF_EMPTY: u8 = 2;

@unmanaged
export class Leaf {
  /** of a string: after the opening quote */
  at: usize;
  length: u32;
  /** PathNode */
  node: usize;
  field: u32;
  kind: u8;
  flags: u8;
  /**
   * of a container: how often it counts as a visit of its attribute: once when it is a member of an object below the root, and
   * once more when it is empty
   */
  visits: u8;
}

export const FLATTEN_DONE: u32 = 0;
/** An object has a repeated member: apply {@link jsonCompact} to the document and walk it again. */
export const FLATTEN_DUPLICATE: u32 = 1;
export const FLATTEN_TOO_MANY_FIELDS: u32 = 2;
/** White space between tokens: apply {@link stripBlanks} to the document and walk it again. */
export const FLATTEN_BLANKS: u32 = 3;

const BLANK: u32 = 0x20;

let leaves: usize = 0;
let textEnd: usize = 0;
/** Counter of objects; distinguishes members repeated in one object from members of several. */
let objects: u32 = 0;
/** Whether the last document has a value that was not walked, in which members may be repeated. */
let opaque: bool = false;
let outcome: u32 = FLATTEN_DONE;
let freshFields: u32 = 0;
let roomForFields: u32 = 0;

/** Prepares the list; needs `pathsBegin`. */
export function flattenBegin(): void {
  leaves = bufferCreate(256 * offsetof<Leaf>());
  objects = 0;
}

/** The leaves of the last document. */
export function flattenLeaves(): usize {
  return changetype<Buffer>(leaves).data;
}

export function flattenCount(): u32 {
  return <u32>(changetype<Buffer>(leaves).length / offsetof<Leaf>());
}

/** Whether the last document has a non-empty container that was not walked. */
export function flattenHasOpaque(): bool {
  return opaque;
}

/** Walks a document, a valid JSON object, up to the first white space between tokens. Returns one of FLATTEN_*. */
export function flatten(json: usize, length: u32): u32 {
  changetype<Buffer>(leaves).length = 0;
  textEnd = json + length;
  outcome = FLATTEN_DONE;
  opaque = false;
  freshFields = 0;
  roomForFields = FIELD_LIMIT - fieldCount();
  const end = walkObject(json, rootNode());
  if (outcome === FLATTEN_DONE && end !== textEnd) outcome = FLATTEN_BLANKS;
  if (outcome === FLATTEN_DONE) assignFields();
  else forgetFields();
  return outcome;
}

/** Nodes of the document that have no field yet, during counting; each has a leaf. */
const PENDING: u32 = NO_FIELD - 1;

/**
 * Replaces nodes by field ids. Fields are only assigned here, so that an aborted walk leaves none; parents precede their members
 * in the list.
 */
function assignFields(): void {
  const start = changetype<Buffer>(leaves).data;
  const end = start + changetype<Buffer>(leaves).length;
  for (let at = start; at < end; at += offsetof<Leaf>()) {
    const leaf = changetype<Leaf>(at);
    const node = changetype<PathNode>(leaf.node);
    if (node.field === PENDING) nodeAssignField(node);
    leaf.field = node.field;
  }
}

function forgetFields(): void {
  const start = changetype<Buffer>(leaves).data;
  const end = start + changetype<Buffer>(leaves).length;
  for (let at = start; at < end; at += offsetof<Leaf>()) {
    const node = changetype<PathNode>(changetype<Leaf>(at).node);
    if (node.field === PENDING) node.field = NO_FIELD;
  }
}

function push(kind: u8, flags: u8, visits: u8, node: PathNode, at: usize, length: u32): void {
  const leaf = changetype<Leaf>(bufferRoom(leaves, offsetof<Leaf>()));
  changetype<Buffer>(leaves).length += offsetof<Leaf>();
  leaf.at = at;
  leaf.length = length;
  leaf.node = changetype<usize>(node);
  leaf.kind = kind;
  leaf.flags = flags;
  leaf.visits = visits;
}

/** Walks the members of the object at `from`. Returns the address after it; `outcome` is set if the walk stopped. */
function walkObject(from: usize, parent: PathNode): usize {
  const object = ++objects;
  const below = changetype<usize>(parent) !== changetype<usize>(rootNode());
  let at = from + 1;
  let previous = changetype<PathNode>(0);
  while (load<u8>(at) === QUOTE) {
    const name = at + 1;
    const guess = changetype<usize>(previous) ? previous.next : parent.firstChild;
    let node = changetype<PathNode>(guess);
    if (guess && nodeMatches(node, name, textEnd)) {
      at = name + node.nameLength;
    } else {
      at = stringEnd(name, textEnd);
      node = childNode(parent, name, <u32>(at - name), stringEscaped());
      if (changetype<usize>(previous)) previous.next = changetype<usize>(node);
      else parent.firstChild = changetype<usize>(node);
    }
    if (node.object === object) {
      outcome = FLATTEN_DUPLICATE;
      return at;
    }
    // Before the node is marked: it gets its leaf from the value.
    if (<u32>load<u8>(at, 1) !== COLON || <u32>load<u8>(at, 2) <= BLANK) return stop();
    if (node.field === NO_FIELD) {
      if (++freshFields > roomForFields) {
        outcome = FLATTEN_TOO_MANY_FIELDS;
        return at;
      }
      node.field = PENDING;
    }
    node.object = object;
    previous = node;
    // Skips the closing quote and the colon.
    at = walkValue(at + 2, node, false, below);
    if (outcome !== FLATTEN_DONE) return at;
    if (load<u8>(at) !== COMMA) break;
    at++;
  }
  return <u32>load<u8>(at) === CLOSE_OBJECT ? at + 1 : stop();
}

/** Ends the walk at white space. */
function stop(): usize {
  outcome = FLATTEN_BLANKS;
  return textEnd;
}

function walkValue(at: usize, node: PathNode, element: bool, visit: bool): usize {
  const flags: u8 = element ? LEAF_ELEMENT : 0;
  switch (<u32>load<u8>(at)) {
    case QUOTE: {
      const close = stringEnd(at + 1, textEnd);
      push(stringEscaped() ? LEAF_ESCAPED : LEAF_STRING, flags, 0, node, at + 1, <u32>(close - at - 1));
      return close + 1;
    }
    case OPEN_OBJECT: {
      const empty = load<u8>(at, 1) === CLOSE_OBJECT;
      pushContainer(empty, flags, visit, node, at);
      if (empty) return at + 2;
      return node.opaque ? pass(at) : walkObject(at, node);
    }
    case OPEN_ARRAY: {
      const empty = load<u8>(at, 1) === CLOSE_ARRAY;
      pushContainer(empty, flags, visit, node, at);
      if (empty) return at + 2;
      return node.opaque ? pass(at) : walkArray(at, node);
    }
    case 0x74: {
      push(LEAF_TRUE, flags, 0, node, at, 4);
      return at + 4;
    }
    case 0x66: {
      push(LEAF_FALSE, flags, 0, node, at, 5);
      return at + 5;
    }
    case 0x6e: {
      push(LEAF_NULL, flags, 0, node, at, 4);
      return at + 4;
    }
    default: {
      if (<u32>load<u8>(at) <= BLANK) return stop();
      const end = skipValue(at, textEnd);
      push(LEAF_NUMBER, flags, 0, node, at, <u32>(end - at));
      return end;
    }
  }
}

/** Skips a container without walking it. */
function pass(at: usize): usize {
  opaque = true;
  return skipValue(at, textEnd);
}

function pushContainer(empty: bool, flags: u8, visit: bool, node: PathNode, at: usize): void {
  // A non-empty container inside an array adds nothing to what the array has contributed.
  if (!empty && flags & LEAF_ELEMENT) return;
  push(LEAF_CONTAINER, empty ? flags | LEAF_EMPTY : flags, <u8>visit + <u8>empty, node, at, 0);
}

function walkArray(from: usize, node: PathNode): usize {
  let at = from + 1;
  while (true) {
    at = walkValue(at, node, true, false);
    if (outcome !== FLATTEN_DONE) return at;
    if (load<u8>(at) !== COMMA) break;
    at++;
  }
  return <u32>load<u8>(at) === CLOSE_ARRAY ? at + 1 : stop();
}
