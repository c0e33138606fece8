/** Turns runs of terms into sources for the kernels of `costs`; data of segments in other memories is copied as needed. */

import { cacheAdd, cacheAdmits, cacheAlloc, cacheFind } from '../cache/cache';
import { Memo, memoAdd, memoFind, UNKNOWN } from '../cache/memo';
import { CACHED_UNION, MEMO_TERMS, MEMO_UNION } from '../cache/result-kinds';
import { viewOfTerms } from '../costs/projection';
import { runPostings, Source, sourcesOrInto } from '../costs/sources';
import { Search, segmentBytes, segmentOf } from '../plan/search';
import { bitmapOf } from '../postings/decode';
import { findLongRun, isWholeRun } from '../postings/long-runs';
import { REQUEST_POSTINGS, requestFor, sendRequest, TermsHeader } from '../remote/request';
import { alloc, allocZeroed } from '../runtime/arena';
import { Buffer, bufferCreate, bufferPush32, bufferRoom } from '../runtime/buffer';
import { keyCreate } from '../runtime/key-table';
import { bitmapBytes, LongRun, TERM_EXACT, TERM_TOLERANT } from '../segment/layout';
import { SegmentView } from '../segment/view';
import { bitmapCopy, bitmapOr, bitmapUnite } from '../sets/bitmap';
import { Run, runAt, runCount } from './runs';

/** Number of terms from which the union of their documents is cached. */
const CACHED_RUN: u32 = 128;

const SOURCE_BYTES: usize = offsetof<Source>();

/** An empty bitmap over slots. */
export function newBitmap(search: Search): usize {
  return allocZeroed(max<usize>(search.bytes, 16));
}

/** Memory for a bitmap over slots that is written as a whole. */
export function unwritten(search: Search): usize {
  return alloc(max<usize>(search.bytes, 16));
}

export function copyOf(search: Search, bitmap: usize): usize {
  const copy = unwritten(search);
  bitmapCopy(copy, bitmap, search.bytes);
  return copy;
}

/** The union of two bitmaps, each of which may be 0 for none; a new bitmap only when necessary. */
export function unionOf(search: Search, left: usize, right: usize): usize {
  if (left === 0 || right === 0 || left === right) return left !== 0 ? left : right;
  const union = unwritten(search);
  bitmapUnite(union, left, right, search.bytes);
  return union;
}

/** A Buffer of Source. */
export function sourcesCreate(): usize {
  return bufferCreate(4 * SOURCE_BYTES);
}

export function sourceCount(sources: usize): u32 {
  return <u32>(changetype<Buffer>(sources).length / SOURCE_BYTES);
}

/** Address of the first Source. */
export function sourcesAt(sources: usize): usize {
  return changetype<Buffer>(sources).data;
}

/** Adds a source for each run. `within`: bitmap of the documents to consider, 0 for all. */
export function pushSources(search: Search, sources: usize, runs: usize, within: usize): void {
  for (let i: u32 = 0; i < runCount(runs); i++) pushSource(search, sources, runAt(runs, i), within);
}

function pushSource(search: Search, sources: usize, run: Run, within: usize): void {
  const segment = segmentOf(search, run.segment);
  const isHere = segment.isHere !== 0;
  // The copied terms of a segment in another memory are numbered from 0.
  const view = isHere ? segment.view : copiedTerms(search, run);
  const source = changetype<Source>(bufferRoom(sources, SOURCE_BYTES));
  source.view = view;
  source.base = segment.base;
  source.from = isHere ? run.from : 0;
  source.to = isHere ? run.to : run.to - run.from;
  source.within = within;
  changetype<Buffer>(sources).length += SOURCE_BYTES;
}

/** The sources of some runs. */
export function sourcesOf(search: Search, runs: usize): usize {
  const sources = sourcesCreate();
  pushSources(search, sources, runs, 0);
  return sources;
}

/** A source of one run in the numbers of its own segment. */
export function localSource(search: Search, run: Run): usize {
  const source = changetype<Source>(allocZeroed(SOURCE_BYTES));
  source.view = segmentOf(search, run.segment).view;
  source.from = run.from;
  source.to = run.to;
  return changetype<usize>(source);
}

/** A view of the terms of a run, with postings copied from another memory. */
function copiedTerms(search: Search, run: Run): usize {
  const memo: Memo = search.memo;
  const known = memoFind(memo, MEMO_TERMS, <usize>run.segment, run.from, run.to);
  if (known !== UNKNOWN) return known;
  const segment = segmentOf(search, run.segment);
  const request = requestFor(segment, REQUEST_POSTINGS, 0);
  request.from = run.from;
  request.to = run.to;
  const header = changetype<TermsHeader>(sendRequest(run.segment, request));
  const count = header.count;
  const flags = changetype<usize>(header) + offsetof<TermsHeader>();
  const docFreqs = flags + <usize>((count + 3) & ~3);
  const starts = docFreqs + ((<usize>count) << 2);
  const postings = starts + ((<usize>count) << 2);
  const view = viewOfTerms(segment.docCount, count, flags, docFreqs, starts, postings);
  return memoAdd(memo, MEMO_TERMS, <usize>run.segment, run.from, run.to, view);
}

/**
 * Adds the documents that contain a word of the runs to a bitmap. `restricted`: only occurrences in searched attributes count;
 * `tolerantOnly`: only those on the tolerant side.
 */
export function addDocumentsOf(search: Search, runs: usize, bitmap: usize, restricted: bool, tolerantOnly: bool): void {
  const sources = sourcesCreate();
  for (let i: u32 = 0; i < runCount(runs); i++) {
    const run = runAt(runs, i);
    const isLong = run.to - run.from >= CACHED_RUN && segmentOf(search, run.segment).isHere && !isStored(search, run);
    if (restricted || tolerantOnly || !isLong) pushSource(search, sources, run, 0);
    else
      bitmapOr(bitmap + (segmentOf(search, run.segment).base >>> 3), unionOfRun(search, run), segmentBytes(search, run.segment));
  }
  const count = sourceCount(sources);
  if (count > 0) sourcesOrInto(sourcesAt(sources), count, bitmap, search.plan.fieldFlags, restricted, tolerantOnly);
}

/**
 * The bitmap of these documents that exists already, in the segment or among the cached unions; 0 if there is none. Only in an index with one
 * segment and no deleted documents, where all occurrences count. The bitmap must not be written to.
 */
export function storedDocuments(search: Search, runs: usize, restricted: bool, tolerantOnly: bool): usize {
  if (restricted || runCount(runs) !== 1 || search.plan.segments.count !== 1) return 0;
  const run = runAt(runs, 0);
  const segment = segmentOf(search, run.segment);
  if (!segment.isHere || segment.tombstones !== 0 || search.bytes !== bitmapBytes(segment.docCount)) return 0;
  const view = changetype<SegmentView>(segment.view);
  if (run.to - run.from === 1) {
    const isWhole = !tolerantOnly || (load<u8>(view.termFlags + run.from) & (TERM_TOLERANT | TERM_EXACT)) === TERM_TOLERANT;
    return isWhole ? bitmapOf(view, run.from) : 0;
  }
  return tolerantOnly || run.to - run.from < CACHED_RUN || isStored(search, run) ? 0 : unionOfRun(search, run);
}

/** Whether the segment stores all documents of a run, see postings/long-runs. */
function isStored(search: Search, run: Run): bool {
  return isWholeRun(longRunOf(search, run));
}

/** The stored documents of a run, whose segment must be in this memory; 0: it is not a long run. */
export function longRunOf(search: Search, run: Run): LongRun {
  return findLongRun(segmentOf(search, run.segment).view, run.from, run.to);
}

/** The documents of a run, of a segment in this memory, as a bitmap over its documents. Not to be written to. */
export function documentsOfRun(search: Search, run: Run): usize {
  const view = changetype<SegmentView>(segmentOf(search, run.segment).view);
  const stored: usize = run.to - run.from === 1 ? bitmapOf(view, run.from) : 0;
  if (stored !== 0) return stored;
  if (run.to - run.from >= CACHED_RUN) return unionOfRun(search, run);
  return filledUnion(search, run, alloc(segmentBytes(search, run.segment)), segmentBytes(search, run.segment));
}

/** The documents of a run of many terms: cached, or computed for this search only. */
function unionOfRun(search: Search, run: Run): usize {
  const segment = segmentOf(search, run.segment);
  const bytes: usize = bitmapBytes(segment.docCount);
  const key = runKey(search, CACHED_UNION, run);
  const cached = cacheFind(key);
  if (cached !== 0) return cached;
  if (cacheAdmits(key, bytes)) {
    const made = cacheAdd(key, filledUnion(search, run, cacheAlloc(bytes), bytes));
    if (made !== 0) return made;
  }
  const known = memoFind(search.memo, MEMO_UNION, <usize>run.segment, run.from, run.to);
  if (known !== UNKNOWN) return known;
  const union = filledUnion(search, run, allocZeroed(bytes), bytes);
  return memoAdd(search.memo, MEMO_UNION, <usize>run.segment, run.from, run.to, union);
}

function filledUnion(search: Search, run: Run, at: usize, bytes: usize): usize {
  if (at === 0) return 0;
  memory.fill(at, 0, bytes);
  sourcesOrInto(localSource(search, run), 1, at, 0, false, false);
  return at;
}

/** A cache key for a run, by the id of its segment. */
export function runKey(search: Search, kind: u32, run: Run): usize {
  const key = keyCreate(kind);
  bufferPush32(key, segmentOf(search, run.segment).id);
  bufferPush32(key, run.from);
  bufferPush32(key, run.to);
  return key;
}

/** Number of postings of a run, of a segment in this memory. */
export function postingsOfRun(search: Search, run: Run): u32 {
  return runPostings(segmentOf(search, run.segment).view, run.from, run.to);
}

/** Whether ranking this many documents by sets is faster than reading the positions of words in each of them. */
export function isLarge(search: Search, documents: u32): bool {
  if (changetype<usize>(search.numbering) !== 0) return false;
  return documents >= search.plan.largeBucket && <u64>documents * BYTES_PER_DOCUMENT >= search.bytes;
}

/** Cost model: bytes of the sets of a state that are scanned in the time of reading its positions in one document. */
const BYTES_PER_DOCUMENT: u64 = 64;
