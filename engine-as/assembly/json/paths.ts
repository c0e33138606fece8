/**
 * Flattened paths of documents and their field ids. A node is one member name below one parent; several nodes can have the same
 * path (`{"a":{"b":1}}` and `{"a.b":1}`) and thus the same field. Members mostly have the same order in every document, so
 * each node refers to the one that followed it last.
 */
import { allocZeroed } from '../runtime/arena';
import { Buffer, bufferCreate, bufferPushBytes, bufferRoom } from '../runtime/buffer';
import { poolAlloc, poolCopy } from '../runtime/pool';
import { sameText } from '../runtime/text-bytes';
import { BACKSLASH, QUOTE } from './signs';
import { unescapeString } from './strings';

export const FIELD_LIMIT: u32 = 65536;
export const NO_FIELD: u32 = 0xffffffff;

const DOT: u8 = 0x2e;

@unmanaged
export class PathNode {
  /** name of the member */
  name: usize;
  nameLength: u32;
  /** the name contains no quote and no backslash, so its bytes can be compared with JSON text */
  plain: bool;
  /** the value is opaque: no paths, no values */
  opaque: bool;
  parent: usize;
  hash: u32;
  /** field id, or NO_FIELD as long as no added document has the member */
  field: u32;
  /** number of the object in which the member was last found */
  object: u32;
  /** node that followed in the last object, or 0 */
  next: usize;
  /** node of the first member in the last object at this path, or 0 */
  firstChild: usize;
}

@unmanaged
class Field {
  path: usize;
  pathLength: u32;
  hash: u32;
}

/** Top-level members with opaque values. */
const VECTORS: StaticArray<u8> = [0x5f, 0x76, 0x65, 0x63, 0x74, 0x6f, 0x72, 0x73];
const GEOJSON: StaticArray<u8> = [0x5f, 0x67, 0x65, 0x6f, 0x6a, 0x73, 0x6f, 0x6e];

let root: usize = 0;
/** Buffer of Field */
let fields: usize = 0;
let fieldSlots: usize = 0;
let fieldMask: u32 = 0;
let nodeSlots: usize = 0;
let nodeMask: u32 = 0;
let nodeCount: u32 = 0;
let names: usize = 0;
let pathText: usize = 0;

/** Clears all paths; they are in scratch memory. */
export function pathsBegin(): void {
  root = newNode(0, 0, 0, 0);
  fields = bufferCreate(64 * offsetof<Field>());
  names = bufferCreate(256);
  pathText = bufferCreate(256);
  fieldMask = 127;
  fieldSlots = newSlots(fieldMask);
  nodeMask = 127;
  nodeSlots = newSlots(nodeMask);
  nodeCount = 0;
}

/** The node above all top-level members. */
export function rootNode(): PathNode {
  return changetype<PathNode>(root);
}

export function fieldCount(): u32 {
  return <u32>(changetype<Buffer>(fields).length / offsetof<Field>());
}

function fieldAt(id: u32): Field {
  return changetype<Field>(changetype<Buffer>(fields).data + <usize>id * offsetof<Field>());
}

export function fieldPath(id: u32): usize {
  return fieldAt(id).path;
}

export function fieldPathLength(id: u32): u32 {
  return fieldAt(id).pathLength;
}

function newSlots(mask: u32): usize {
  return allocZeroed((<usize>mask + 1) << 2);
}

/** FNV-1a */
function hashBytes(bytes: usize, length: u32, seed: u32): u32 {
  let hash: u32 = 0x811c9dc5 ^ seed;
  for (let i: u32 = 0; i < length; i++) hash = (hash ^ load<u8>(bytes + i)) * 0x01000193;
  return hash ^ (hash >>> 15);
}

/** Id of a path; added when it is new. */
export function fieldIntern(path: usize, length: u32): u32 {
  const hash = hashBytes(path, length, 0);
  let slot = hash & fieldMask;
  while (true) {
    const number = load<u32>(fieldSlots + ((<usize>slot) << 2));
    if (!number) break;
    const field = fieldAt(number - 1);
    if (field.hash === hash && field.pathLength === length && memory.compare(field.path, path, length) === 0) return number - 1;
    slot = (slot + 1) & fieldMask;
  }
  const count = fieldCount();
  const field = changetype<Field>(bufferRoom(fields, offsetof<Field>()));
  changetype<Buffer>(fields).length += offsetof<Field>();
  field.path = poolCopy(path, length);
  field.pathLength = length;
  field.hash = hash;
  store<u32>(fieldSlots + ((<usize>slot) << 2), count + 1);
  if ((count + 1) << 1 > fieldMask) growFields(count + 1);
  return count;
}

function growFields(count: u32): void {
  fieldMask = (fieldMask << 1) | 1;
  fieldSlots = newSlots(fieldMask);
  for (let i: u32 = 0; i < count; i++) {
    let slot = fieldAt(i).hash & fieldMask;
    while (load<u32>(fieldSlots + ((<usize>slot) << 2))) slot = (slot + 1) & fieldMask;
    store<u32>(fieldSlots + ((<usize>slot) << 2), i + 1);
  }
}

function newNode(parent: usize, name: usize, length: u32, hash: u32): usize {
  const node = changetype<PathNode>(poolAlloc(offsetof<PathNode>()));
  memory.fill(changetype<usize>(node), 0, offsetof<PathNode>());
  node.parent = parent;
  node.name = name;
  node.nameLength = length;
  node.hash = hash;
  node.field = NO_FIELD;
  return changetype<usize>(node);
}

/** Whether a JSON text that begins after an opening quote begins with the name of a node and a quote. 8 bytes after `end` must be readable. */
export function nodeMatches(node: PathNode, text: usize, end: usize): bool {
  const length = node.nameLength;
  if (!node.plain || text + length >= end) return false;
  return load<u8>(text + length) === QUOTE && sameText(node.name, text, length);
}

/** The node of a member; `rawName` as written in the text, between the quotes. */
export function childNode(parent: PathNode, rawName: usize, rawLength: u32, escaped: bool): PathNode {
  let name = rawName;
  let length = rawLength;
  if (escaped) {
    name = bufferRoom(names, rawLength);
    length = unescapeString(rawName, rawLength, name);
  }
  const parentPointer = changetype<usize>(parent);
  const hash = hashBytes(name, length, <u32>parentPointer * 0x9e3779b1);
  let slot = hash & nodeMask;
  while (true) {
    const pointer: usize = load<u32>(nodeSlots + ((<usize>slot) << 2));
    if (!pointer) break;
    const node = changetype<PathNode>(pointer);
    const same = node.hash === hash && node.parent === parentPointer && node.nameLength === length;
    if (same && memory.compare(node.name, name, length) === 0) return node;
    slot = (slot + 1) & nodeMask;
  }
  const node = changetype<PathNode>(newNode(parentPointer, poolCopy(name, length), length, hash));
  node.plain = isPlain(name, length);
  node.opaque = parentPointer === root && (nameIs(name, length, VECTORS) || nameIs(name, length, GEOJSON));
  store<u32>(nodeSlots + ((<usize>slot) << 2), <u32>changetype<usize>(node));
  if (++nodeCount << 1 > nodeMask) growNodes();
  return node;
}

/** Assigns a field to a node; its parent must have one. */
export function nodeAssignField(node: PathNode): void {
  if (node.parent === root) {
    node.field = fieldIntern(node.name, node.nameLength);
    return;
  }
  const parent = changetype<PathNode>(node.parent);
  const text = changetype<Buffer>(pathText);
  text.length = 0;
  bufferPushBytes(pathText, fieldPath(parent.field), fieldPathLength(parent.field));
  store<u8>(bufferRoom(pathText, 1), DOT);
  text.length++;
  bufferPushBytes(pathText, node.name, node.nameLength);
  node.field = fieldIntern(text.data, <u32>text.length);
}

function growNodes(): void {
  const old = nodeSlots;
  const oldMask = nodeMask;
  nodeMask = (nodeMask << 1) | 1;
  nodeSlots = newSlots(nodeMask);
  for (let i: u32 = 0; i <= oldMask; i++) {
    const pointer = load<u32>(old + ((<usize>i) << 2));
    if (!pointer) continue;
    let slot = changetype<PathNode>(<usize>pointer).hash & nodeMask;
    while (load<u32>(nodeSlots + ((<usize>slot) << 2))) slot = (slot + 1) & nodeMask;
    store<u32>(nodeSlots + ((<usize>slot) << 2), pointer);
  }
}

function isPlain(name: usize, length: u32): bool {
  for (let i: u32 = 0; i < length; i++) {
    const byte: u32 = load<u8>(name + i);
    if (byte === QUOTE || byte === BACKSLASH || byte < 0x20) return false;
  }
  return true;
}

export function nameIs(name: usize, length: u32, text: StaticArray<u8>): bool {
  return length === <u32>text.length && memory.compare(name, changetype<usize>(text), length) === 0;
}
