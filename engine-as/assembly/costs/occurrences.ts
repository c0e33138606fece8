/**
 * The occurrences of words in the documents of a context, read from the postings of the words or from the words of the documents,
 * whichever costs less.
 */

import { documentCodesOfOne, documentWordCount, oneSet } from '../postings/document-words';
import { alloc, allocMore, allocZeroed } from '../runtime/arena';
import { Buffer, bufferCreate, bufferPush32 } from '../runtime/buffer';
import { sortCodes } from '../segment/sort';
import { SegmentView } from '../segment/view';
import { Context } from './context';
import { pushReading, readDocuments, readingAt, readingsCreate } from './document-occurrences';
import { decodeCodes } from './positions';
import {
  appliesTo,
  areOfOneSegment,
  areTermsApart,
  decideByDocument,
  Group,
  groupAt,
  groupCount,
  groupsOf,
  groupWanted,
  prefetchNext,
} from './source-groups';
import { Source, sourceAt } from './sources';
import { findPostings, postingsOf, TermPostings, termPostingsCreate } from './term-postings';

@unmanaged
export class Occurrences {
  /** u32[count + 1]: first code of each document */
  starts: usize;
  /** u32 codes `attribute << 16 | position`, ascending within a document */
  codes: usize;
}

/** Growth increment of the block at the top of the arena, in bytes. */
const RESERVED_BYTES: usize = 65536;

/** A set of words and its occurrences. */
@unmanaged
export class WantedOccurrences {
  /** Source[sourceCount], at least one */
  sources: usize;
  sourceCount: u32;
  /** Buffer of Group: the sources by segment */
  groups: usize;
  /** after they were read */
  occurrences: Occurrences;
  /** whether they are only read if they are read by document; otherwise their postings are compared with other words as they are read */
  isStreamed: bool;
}

/** The occurrences of the words of some sources in the documents of a context. */
export function occurrencesOf(contextPointer: usize, sources: usize, sourceCount: u32): usize {
  const wanted = changetype<WantedOccurrences>(alloc(offsetof<WantedOccurrences>()));
  wanted.sources = sources;
  wanted.sourceCount = sourceCount;
  wanted.isStreamed = false;
  const list = alloc(4);
  store<u32>(list, <u32>changetype<usize>(wanted));
  readOccurrences(contextPointer, list, 1);
  return changetype<usize>(wanted.occurrences);
}

/** Reads the occurrences of several sets of words. `wanted`: u32[count] addresses of WantedOccurrences; 0 where they are not read. */
export function readOccurrences(contextPointer: usize, wanted: usize, count: u32): void {
  const context = changetype<Context>(contextPointer);
  /** Buffer of u32: addresses of all groups */
  const all = bufferCreate(64);
  for (let i: u32 = 0; i < count; i++) {
    const own = wantedAt(wanted, i);
    own.groups = groupsOf(context, own.sources, own.sourceCount, own.isStreamed);
    for (let g: u32 = 0; g < groupCount(own.groups); g++) bufferPush32(all, <u32>changetype<usize>(groupAt(own.groups, g)));
  }
  decideByDocument(changetype<Buffer>(all).data, <u32>(changetype<Buffer>(all).length >> 2));
  const readings = readingsCreate();
  for (let i: u32 = 0; i < count; i++) readOrDefer(context, wantedAt(wanted, i), readings);
  readDocuments(context, readings);
  let next: u32 = 0;
  for (let i: u32 = 0; i < count; i++) {
    const occurrences = wantedAt(wanted, i).occurrences;
    if (changetype<usize>(occurrences) !== 0 && occurrences.codes === 0)
      occurrences.codes = changetype<Buffer>(readingAt(readings, next++).codes).data;
  }
}

function wantedAt(wanted: usize, index: u32): WantedOccurrences {
  return changetype<WantedOccurrences>(<usize>load<u32>(wanted + ((<usize>index) << 2)));
}

/** Reads the occurrences of a set of words, or adds it to those that are read by document; then it has no codes yet. */
function readOrDefer(context: Context, wanted: WantedOccurrences, readings: usize): void {
  const areByDocument = areDirect(wanted.groups);
  wanted.occurrences = changetype<Occurrences>(0);
  if (wanted.isStreamed && !areByDocument) return;
  const result = changetype<Occurrences>(alloc(offsetof<Occurrences>()));
  wanted.occurrences = result;
  result.starts = alloc((<usize>context.count + 1) << 2);
  result.codes = 0;
  for (let g: u32 = 0; g < groupCount(wanted.groups); g++) {
    const group = groupAt(wanted.groups, g);
    if (group.byDocument) groupWanted(group);
  }
  if (areByDocument) pushReading(readings, wanted.groups, result.starts);
  else if (areTermsApart(wanted.sources, wanted.sourceCount) && areByTerm(wanted.groups)) ofTerms(context, wanted, result);
  else ofGroups(context, wanted.groups, result);
}

/** Codes are written to one block at the top of the arena: nothing else may be allocated while it grows. */
let codes: usize = 0;
let reserved: usize = 0;

function codesBegin(): void {
  codes = alloc(0);
  reserved = codes;
}

/** Makes room at `out` for the codes of positions (which take at least a byte each); returns the new `out`. */
function codesRoom(out: usize, length: u32): usize {
  const used = out - codes;
  const bytes = used + ((<usize>length) << 2);
  if (codes + bytes <= reserved) return out;
  codes = allocMore(codes, bytes + RESERVED_BYTES);
  reserved = codes + bytes + RESERVED_BYTES;
  return codes + used;
}

/** Terms of different segments, one of each: their postings are in document order. */
function ofTerms(context: Context, wanted: WantedOccurrences, result: Occurrences): void {
  const found = termPostingsCreate(context);
  codesBegin();
  let next: u32 = 0;
  let out = codes;
  for (let s: u32 = 0; s < wanted.sourceCount; s++) {
    const source = sourceAt(wanted.sources, s);
    postingsOf(source, found);
    findPostings(source.from, found);
    for (let at: usize = 0; at < (<usize>found.count) << 2; at += 4) {
      const length = load<u32>(found.lengths + at);
      out = codesRoom(out, length);
      const index = load<u32>(found.indices + at);
      setStarts(result, next, index + 1, out);
      next = index + 1;
      out = decodeCodes(load<u32>(found.positions + at), length, out);
    }
  }
  setStarts(result, next, context.count + 1, out);
  result.codes = codes;
}

/** The codes of the documents with indices [from, to) begin at `out`. */
function setStarts(result: Occurrences, from: u32, to: u32, out: usize): void {
  for (let i = from; i < to; i++) store<u32>(result.starts + ((<usize>i) << 2), <u32>((out - codes) >> 2));
}

/** Whether no group is read by document. */
function areByTerm(groups: usize): bool {
  for (let g: u32 = 0; g < groupCount(groups); g++) if (groupAt(groups, g).byDocument) return false;
  return true;
}

/** Whether all groups are read by document, and each document once: they are of different segments. */
function areDirect(groups: usize): bool {
  for (let g: u32 = 0; g < groupCount(groups); g++) {
    if (!groupAt(groups, g).byDocument) return false;
    for (let other: u32 = 0; other < g; other++) if (areOfOneSegment(groupAt(groups, other), groupAt(groups, g))) return false;
  }
  return true;
}

/** Occurrences found, linked by document: the positions of a posting, or codes. */
@unmanaged
class Found {
  positions: usize;
  /** bytes of positions or of codes */
  length: u32;
  areCodes: bool;
  /** 0: the last one */
  next: usize;
}

/** Number of Found entries per chunk. */
const FOUND_CHUNK: usize = 4096;

/** The occurrences found so far. */
@unmanaged
class FoundList {
  /** u32[count]: the Found added last for each document of the context, or 0 */
  heads: usize;
  /** room for further ones */
  free: usize;
  freeEnd: usize;
  /** upper bound of the number of codes */
  codes: u32;
}

function foundAdd(found: FoundList, index: u32, positions: usize, length: u32, areCodes: bool): void {
  if (found.free === found.freeEnd) {
    found.free = alloc(FOUND_CHUNK * offsetof<Found>());
    found.freeEnd = found.free + FOUND_CHUNK * offsetof<Found>();
  }
  const head = found.heads + ((<usize>index) << 2);
  const entry = changetype<Found>(found.free);
  found.free += offsetof<Found>();
  entry.positions = positions;
  entry.length = length;
  entry.areCodes = areCodes;
  entry.next = load<u32>(head);
  store<u32>(head, <u32>changetype<usize>(entry));
  found.codes += areCodes ? length >>> 2 : length;
}

/** Groups of any kind: occurrences are linked by document, then sorted. */
function ofGroups(context: Context, groups: usize, result: Occurrences): void {
  const count = context.count;
  const found = changetype<FoundList>(alloc(offsetof<FoundList>()));
  found.heads = allocZeroed(((<usize>count) << 2) + 16);
  found.free = 0;
  found.freeEnd = 0;
  found.codes = 0;
  const postings = termPostingsCreate(context);
  for (let g: u32 = 0; g < groupCount(groups); g++) {
    const group = groupAt(groups, g);
    if (group.byDocument) findByDocument(context, group, found);
    else for (let k: u32 = 0; k < group.count; k++) findByTerm(sourceAt(group.sources, k), postings, found);
  }
  result.codes = alloc(((<usize>found.codes) << 2) + 16);
  let out = result.codes;
  for (let i: u32 = 0; i < count; i++) {
    const first = out;
    store<u32>(result.starts + ((<usize>i) << 2), <u32>((out - result.codes) >> 2));
    for (let at: usize = load<u32>(found.heads + ((<usize>i) << 2)); at !== 0; ) {
      const entry = changetype<Found>(at);
      if (entry.areCodes) {
        memory.copy(out, entry.positions, entry.length);
        out += entry.length;
      } else {
        out = decodeCodes(entry.positions, entry.length, out);
      }
      at = entry.next;
    }
    sortCodes(first, out - first);
  }
  store<u32>(result.starts + ((<usize>count) << 2), <u32>((out - result.codes) >> 2));
}

/** Reads a group document by document. */
function findByDocument(context: Context, group: Group, found: FoundList): void {
  const first = sourceAt(group.sources, 0);
  const view = changetype<SegmentView>(first.view);
  const words = oneSet(group.from, group.to, group.wanted);
  for (let i: u32 = 0; i < context.count; i++) {
    prefetchNext(context, first, i);
    const slot = load<u32>(context.slots + ((<usize>i) << 2));
    if (!appliesTo(group, slot)) continue;
    const own = alloc((<usize>documentWordCount(view, slot - first.base)) << 2);
    const end = documentCodesOfOne(view, slot - first.base, words, own);
    if (end > own) foundAdd(found, i, own, <u32>(end - own), true);
  }
}

function findByTerm(source: Source, postings: TermPostings, found: FoundList): void {
  postingsOf(source, postings);
  for (let term = source.from; term < source.to; term++) {
    findPostings(term, postings);
    for (let at: usize = 0; at < (<usize>postings.count) << 2; at += 4) {
      const index = load<u32>(postings.indices + at);
      foundAdd(found, index, load<u32>(postings.positions + at), load<u32>(postings.lengths + at), false);
    }
  }
}
