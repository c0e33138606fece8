/**
 * The occurrences of several sets of words in the documents of a context, read from the words of the documents: each document is read once,
 * whatever the number of sets.
 */
import { documentCodes, documentWordCount, WordSet, wordSetInit } from '../postings/document-words';
import { Buffer, bufferCreate, bufferPush32, bufferRoom } from '../runtime/buffer';
import { sortCodes } from '../segment/sort';
import { SegmentView } from '../segment/view';
import { Context } from './context';
import { appliesTo, areOfOneSegment, Group, groupAt, groupCount, prefetchNext } from './source-groups';
import { sourceAt } from './sources';

/** A set of words, and what is read for it. */
@unmanaged
export class DocumentReading {
  /** Buffer of Group, at most one of each segment */
  groups: usize;
  /** u32[count + 1]: first code of each document */
  starts: usize;
  /** Buffer of u32: codes, ascending within a document */
  codes: usize;
}

/** A group of a set, as its words are looked for. */
@unmanaged
class ReadGroup extends WordSet {
  group: Group;
  reading: DocumentReading;
  /** whether no group before it is of the same segment */
  isFirst: bool;
}

const READING_BYTES: usize = offsetof<DocumentReading>();
const FIRST_CODES: usize = 1024;

/** A Buffer of DocumentReading. */
export function readingsCreate(): usize {
  return bufferCreate(4 * READING_BYTES);
}

function readingCount(readings: usize): u32 {
  return <u32>(changetype<Buffer>(readings).length / READING_BYTES);
}

export function readingAt(readings: usize, index: u32): DocumentReading {
  return changetype<DocumentReading>(changetype<Buffer>(readings).data + <usize>index * READING_BYTES);
}

/** Adds a set of words. `starts`: u32[count + 1], to be written. */
export function pushReading(readings: usize, groups: usize, starts: usize): void {
  const reading = changetype<DocumentReading>(bufferRoom(readings, READING_BYTES));
  reading.groups = groups;
  reading.starts = starts;
  reading.codes = bufferCreate(FIRST_CODES);
  changetype<Buffer>(readings).length += READING_BYTES;
}

/** Reads the occurrences of all sets. */
export function readDocuments(context: Context, readings: usize): void {
  const groups = readGroups(readings);
  const groupsEnd = changetype<Buffer>(groups).data + changetype<Buffer>(groups).length;
  const active = bufferCreate(changetype<Buffer>(groups).length);
  for (let i: u32 = 0; i < context.count; i++) {
    setStarts(readings, i);
    const slot = load<u32>(context.slots + ((<usize>i) << 2));
    changetype<Buffer>(active).length = 0;
    for (let at = changetype<Buffer>(groups).data; at < groupsEnd; at += offsetof<ReadGroup>()) {
      const own = changetype<ReadGroup>(at);
      if (own.isFirst) prefetchNext(context, sourceAt(own.group.sources, 0), i);
      if (appliesTo(own.group, slot)) bufferPush32(active, <u32>at);
    }
    if (changetype<Buffer>(active).length > 0) readDocument(active, slot);
  }
  setStarts(readings, context.count);
}

/** The groups of all sets: a Buffer of ReadGroup. */
function readGroups(readings: usize): usize {
  const all = bufferCreate(4 * offsetof<ReadGroup>());
  for (let i: u32 = 0; i < readingCount(readings); i++) {
    const groups = readingAt(readings, i).groups;
    for (let g: u32 = 0; g < groupCount(groups); g++) {
      const own = changetype<ReadGroup>(bufferRoom(all, offsetof<ReadGroup>()));
      own.group = groupAt(groups, g);
      own.reading = readingAt(readings, i);
      own.isFirst = true;
      const list = changetype<Buffer>(all);
      for (let at = list.data; at < list.data + list.length; at += offsetof<ReadGroup>()) {
        if (areOfOneSegment(changetype<ReadGroup>(at).group, own.group)) own.isFirst = false;
      }
      wordSetInit(own, own.group.from, own.group.to, own.group.wanted);
      list.length += offsetof<ReadGroup>();
    }
  }
  return all;
}

function setStarts(readings: usize, index: u32): void {
  for (let i: u32 = 0; i < readingCount(readings); i++) {
    const reading = readingAt(readings, i);
    store<u32>(reading.starts + ((<usize>index) << 2), <u32>(changetype<Buffer>(reading.codes).length >> 2));
  }
}

/** Reads a document. `active`: Buffer of u32, addresses of the ReadGroups that apply to it; they are of one segment. */
function readDocument(active: usize, slot: u32): void {
  const list = changetype<Buffer>(active);
  const source = sourceAt(changetype<ReadGroup>(<usize>load<u32>(list.data)).group.sources, 0);
  const view = changetype<SegmentView>(source.view);
  const local = slot - source.base;
  const bytes = (<usize>documentWordCount(view, local)) << 2;
  for (let at = list.data; at < list.data + list.length; at += 4) {
    const own = changetype<ReadGroup>(<usize>load<u32>(at));
    own.out = bufferRoom(own.reading.codes, bytes);
  }
  documentCodes(view, local, list.data, <u32>(list.length >> 2));
  for (let at = list.data; at < list.data + list.length; at += 4) {
    const own = changetype<ReadGroup>(<usize>load<u32>(at));
    const codes = changetype<Buffer>(own.reading.codes);
    const first = codes.data + codes.length;
    sortCodes(first, own.out - first);
    codes.length = own.out - codes.data;
  }
}
