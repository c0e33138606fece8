import fs from 'node:fs';
import path from 'node:path';
import type { SeededRandom } from '../../../../bindings/test/random.js';

/** An entry of the record that recorder.c writes; `acknowledged` is added by the test: a client has received an answer. */
export interface DiskOperation {
  kind: 'create' | 'makeFolder' | 'write' | 'setLength' | 'sync' | 'rename' | 'remove' | 'link' | 'acknowledged';
  inode: bigint;
  offset: number;
  path: string;
  bytes: Buffer;
}

const KINDS: Record<string, DiskOperation['kind']> = {
  C: 'create',
  M: 'makeFolder',
  W: 'write',
  T: 'setLength',
  S: 'sync',
  R: 'rename',
  U: 'remove',
  L: 'link',
  A: 'acknowledged',
};
const HEAD_BYTES = 25;

export function readRecord(file: string): DiskOperation[] {
  const bytes = fs.readFileSync(file);
  const operations: DiskOperation[] = [];
  for (let at = 0; at < bytes.length; ) {
    const [a, b] = [bytes.readUInt32LE(at + 17), bytes.readUInt32LE(at + 21)];
    const start = at + HEAD_BYTES;
    operations.push({
      kind: KINDS[String.fromCharCode(bytes[at]!)]!,
      inode: bytes.readBigUInt64LE(at + 1),
      offset: Number(bytes.readBigUInt64LE(at + 9)),
      path: bytes.toString('utf8', start, start + a),
      bytes: bytes.subarray(start + a, start + a + b),
    });
    at = start + a + b;
  }
  return operations;
}

/** Adds to the record that a client has received this answer. */
export function acknowledge(file: string, answer: string): void {
  const head = Buffer.alloc(HEAD_BYTES);
  head.write('A');
  const text = Buffer.from(answer);
  head.writeUInt32LE(text.length, 17);
  fs.appendFileSync(file, Buffer.concat([head, text]));
}

/**
 * The fate of writes that were not synced: all lost; all kept; the first writes of each file kept, the last of them torn; some
 * writes kept and others before them lost. Changes of names in folders are kept in the order of a journal.
 */
export const CRASHES = ['lost', 'kept', 'torn', 'reordered'] as const;
export type Crash = (typeof CRASHES)[number];

interface Node {
  isFolder: boolean;
  changes: DiskOperation[];
  /** Number of changes covered by the last sync. */
  synced: number;
}

interface NameChange {
  operation: DiskOperation;
  node: Node | null;
  synced: boolean;
}

/** The files below a folder after a power cut that follows some operations, by path; null: a folder. */
export function crashState(
  operations: readonly DiskOperation[],
  root: string,
  crash: Crash,
  random: SeededRandom,
): Map<string, Buffer | null> {
  const nodes = new Map<bigint, Node>();
  const names: NameChange[] = [];
  const present = new Map<string, Node>();
  for (const operation of operations) follow(operation, nodes, names, present);

  const unsynced = names.filter(({ synced }) => !synced).length;
  let taken = crash === 'lost' ? 0 : crash === 'kept' ? unsynced : random.int(unsynced + 1);
  const tree = new Map<string, Node>();
  for (const { operation, node, synced } of names) {
    if (!synced && taken-- <= 0) continue;
    apply(operation, node, tree);
  }
  const state = new Map<string, Buffer | null>();
  for (const [name, node] of [...tree].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const parent = path.dirname(name);
    if (parent !== root && !state.has(parent)) continue;
    state.set(name, node.isFolder ? null : contentOf(node, crash, random));
  }
  return state;
}

function follow(operation: DiskOperation, nodes: Map<bigint, Node>, names: NameChange[], present: Map<string, Node>): void {
  const { kind, inode } = operation;
  switch (kind) {
    case 'create':
    case 'makeFolder':
      nodes.set(inode, { isFolder: kind === 'makeFolder', changes: [], synced: 0 });
      break;
    case 'write':
    case 'setLength':
      nodes.get(inode)?.changes.push(operation);
      return;
    case 'sync': {
      const node = nodes.get(inode);
      if (node) node.synced = node.changes.length;
      for (const change of names) if (foldersOf(change.operation).includes(operation.path)) change.synced = true;
      return;
    }
    case 'acknowledged':
      return;
  }
  const node = kind === 'remove' ? null : kind === 'rename' ? (present.get(operation.path) ?? null) : (nodes.get(inode) ?? null);
  names.push({ operation, node, synced: false });
  apply(operation, node, present);
}

/** The folders in which an operation changes a name. */
function foldersOf({ kind, path: name, bytes }: DiskOperation): string[] {
  const target = path.dirname(bytes.toString());
  if (kind === 'rename') return [path.dirname(name), target];
  return [kind === 'link' ? target : path.dirname(name)];
}

function apply({ kind, path: name, bytes }: DiskOperation, node: Node | null, tree: Map<string, Node>): void {
  if (kind === 'rename' || kind === 'remove') tree.delete(name);
  if (node) tree.set(kind === 'rename' || kind === 'link' ? bytes.toString() : name, node);
}

function contentOf({ changes, synced }: Node, crash: Crash, random: SeededRandom): Buffer {
  const late = changes.slice(synced);
  const count = crash === 'lost' ? 0 : crash === 'torn' ? random.int(late.length + 1) : late.length;
  const surviving = late.slice(0, count).filter(() => crash !== 'reordered' || random.int(2) === 0);
  let content: Buffer = Buffer.alloc(0);
  for (const [index, { kind, offset, bytes }] of [...changes.slice(0, synced), ...surviving].entries()) {
    if (kind === 'setLength') {
      content = resized(content, offset);
      continue;
    }
    const isTorn = crash === 'torn' && index >= synced && index === synced + count - 1;
    const written = isTorn ? bytes.subarray(0, random.int(bytes.length + 1)) : bytes;
    if (offset + written.length > content.length) content = resized(content, offset + written.length);
    written.copy(content, offset);
  }
  return content;
}

function resized(content: Buffer, length: number): Buffer {
  if (length <= content.length) return content.subarray(0, length);
  const larger = Buffer.alloc(length);
  content.copy(larger);
  return larger;
}

/** Writes a state to another folder. */
export function writeState(state: ReadonlyMap<string, Buffer | null>, root: string, target: string): void {
  fs.mkdirSync(target, { recursive: true });
  for (const [name, content] of state) {
    const place = path.join(target, path.relative(root, name));
    if (content === null) fs.mkdirSync(place, { recursive: true });
    else fs.writeFileSync(place, content);
  }
}
