/**
 * The occurrences of words in the documents of a context: read from the postings of the words or from the terms of the documents,
 * whichever is less.
 */

import { postingsBegin, postingsDoc, postingsNextIn, postingsPositions, postingsPositionsLength } from '../postings/decode';
import {
  documentTermAt,
  documentTermLength,
  documentTermPositions,
  documentTermsEnd,
  documentTermsFrom,
  hasDocumentTerms,
} from '../postings/document-terms';
import { alloc, allocMore } from '../runtime/arena';
import { bitmapBytes, DocumentTerm } from '../segment/layout';
import { SegmentView } from '../segment/view';
import { bitmapHas, bitmapSetRange } from '../sets/bitmap';
import { Context, contextIndex } from './context';
import { decodeCodes } from './positions';
import { Source, sourceAt } from './sources';

@unmanaged
export class Occurrences {
  /** u32[count + 1]: first code of each document */
  starts: usize;
  /** u32 codes `attribute << 16 | position`, ascending within a document */
  codes: usize;
}

/** To look a document up, which misses caches, takes as long as to read so many postings in a row; to begin with the postings of a term, so many. */
const LOOKUP_COST: u32 = 48;
const TERM_COST: u32 = 8;
/** To look through the terms of a document takes as long as to read a posting for each so many of them. */
const TERMS_A_POSTING: u32 = 2;
/** What grows at the top of the arena grows by so much at a time. */
const RESERVED_BYTES: usize = 65536;

/** Collects the occurrences of the words of some sources in the documents of a context. */
export function occurrencesOf(contextPointer: usize, sources: usize, sourceCount: u32): usize {
  const context = changetype<Context>(contextPointer);
  const result = changetype<Occurrences>(alloc(offsetof<Occurrences>()));
  result.starts = alloc((<usize>context.count + 1) << 2);
  const first = sourceAt(sources, 0);
  const single = sourceCount === 1 && first.to === first.from + 1;
  if (single && !areReadByDocument(context, sources, 1)) ofTerm(context, first, result);
  else ofSources(context, sources, sourceCount, result);
  return changetype<usize>(result);
}

/** How many sources from the first one on read one segment, and count in the same documents. */
function alike(sources: usize, sourceCount: u32): u32 {
  const first = sourceAt(sources, 0);
  let count: u32 = 1;
  while (
    count < sourceCount &&
    sourceAt(sources, count).view === first.view &&
    sourceAt(sources, count).within === first.within
  ) {
    count++;
  }
  return count;
}

/** Is looking each document up less than reading all the postings of the sources, which are alike? */
export function areReadByDocument(context: Context, sources: usize, sourceCount: u32): bool {
  const view = changetype<SegmentView>(sourceAt(sources, 0).view);
  if (!hasDocumentTerms(view)) return false;
  const terms = load<u32>(view.docTermStarts + ((<usize>view.docCount) << 2)) / max<u32>(view.docCount, 1);
  const lookup = sourceCount === 1 ? LOOKUP_COST : LOOKUP_COST + terms / TERMS_A_POSTING;
  const limit = <u64>context.count * lookup;
  let cost: u64 = 0;
  for (let s: u32 = 0; s < sourceCount && cost <= limit; s++) {
    const source = sourceAt(sources, s);
    for (let term = source.from; term < source.to && cost <= limit; term++) {
      cost += TERM_COST + load<u32>(view.termDocFreq + ((<usize>term) << 2));
    }
  }
  return cost > limit;
}

/** Codes in one block at the top of the arena: nothing else may be reserved while they grow. */
let codes: usize = 0;
let reserved: usize = 0;

function codesBegin(): void {
  codes = alloc(0);
  reserved = codes;
}

/** Makes room after `out` for the codes of positions (a position takes a byte at least); answers where `out` is then. */
function codesRoom(out: usize, length: u32): usize {
  const used = out - codes;
  const bytes = used + ((<usize>length) << 2);
  if (codes + bytes <= reserved) return out;
  codes = allocMore(codes, bytes + RESERVED_BYTES);
  reserved = codes + bytes + RESERVED_BYTES;
  return codes + used;
}

/** A bitmap of the terms of some sources among [from, to), counted from `from`. */
function termsOf(sources: usize, sourceCount: u32, from: u32, to: u32): usize {
  const bytes = bitmapBytes(to - from);
  const terms = alloc(bytes);
  memory.fill(terms, 0, bytes);
  for (let s: u32 = 0; s < sourceCount; s++) {
    bitmapSetRange(terms, sourceAt(sources, s).from - from, sourceAt(sources, s).to - from);
  }
  return terms;
}

/** One term, whose documents come in order. */
function ofTerm(context: Context, source: Source, result: Occurrences): void {
  const base = source.base;
  const within = source.within;
  const bitmap = context.bitmap;
  codesBegin();
  let out = codes;
  let next: u32 = 0;
  postingsBegin(source.view, source.from);
  while (postingsNextIn(bitmap, base)) {
    const slot = base + postingsDoc();
    if (within && !bitmapHas(within, slot)) continue;
    const index = contextIndex(context, slot);
    const length = postingsPositionsLength();
    out = codesRoom(out, length);
    const from = <u32>((out - codes) >> 2);
    while (next <= index) {
      store<u32>(result.starts + ((<usize>next) << 2), from);
      next++;
    }
    out = decodeCodes(postingsPositions(), length, out);
  }
  const total = <u32>((out - codes) >> 2);
  while (next <= context.count) {
    store<u32>(result.starts + ((<usize>next) << 2), total);
    next++;
  }
  result.codes = codes;
}

/** A posting that was met, chained by document. */
@unmanaged
class Found {
  positions: usize;
  length: u32;
  /** 0: the last one */
  next: usize;
}

/** A chunk of Found takes so many of them. */
const FOUND_CHUNK: usize = 4096;

/** Postings that were met. */
@unmanaged
class FoundList {
  /** u32[count]: Found that was met last in each document of the context, or 0 */
  heads: usize;
  /** room for further ones */
  free: usize;
  freeEnd: usize;
  /** bytes of all positions */
  bytes: u32;
}

function foundAdd(found: FoundList, index: u32, positions: usize, length: u32): void {
  if (found.free === found.freeEnd) {
    found.free = alloc(FOUND_CHUNK * offsetof<Found>());
    found.freeEnd = found.free + FOUND_CHUNK * offsetof<Found>();
  }
  const head = found.heads + ((<usize>index) << 2);
  const entry = changetype<Found>(found.free);
  found.free += offsetof<Found>();
  entry.positions = positions;
  entry.length = length;
  entry.next = load<u32>(head);
  store<u32>(head, <u32>changetype<usize>(entry));
  found.bytes += length;
}

/** The terms of several sources: their postings are chained by document, then put in order. */
function ofSources(context: Context, sources: usize, sourceCount: u32, result: Occurrences): void {
  const count = context.count;
  const found = changetype<FoundList>(alloc(offsetof<FoundList>()));
  found.heads = alloc(((<usize>count) << 2) + 16);
  memory.fill(found.heads, 0, (<usize>count) << 2);
  found.free = 0;
  found.freeEnd = 0;
  found.bytes = 0;
  for (let s: u32 = 0; s < sourceCount; ) {
    const group = changetype<usize>(sourceAt(sources, s));
    const size = alike(group, sourceCount - s);
    if (areReadByDocument(context, group, size)) findByDocument(context, group, size, found);
    else for (let k: u32 = 0; k < size; k++) findByTerm(context, sourceAt(group, k), found);
    s += size;
  }
  result.codes = alloc(((<usize>found.bytes) << 2) + 16);
  let out = result.codes;
  for (let i: u32 = 0; i < count; i++) {
    const first = out;
    store<u32>(result.starts + ((<usize>i) << 2), <u32>((out - result.codes) >> 2));
    let postings: u32 = 0;
    for (let at: usize = load<u32>(found.heads + ((<usize>i) << 2)); at !== 0; at = changetype<Found>(at).next) {
      out = decodeCodes(changetype<Found>(at).positions, changetype<Found>(at).length, out);
      postings++;
    }
    if (postings > 1) sortCodes(first, out);
  }
  store<u32>(result.starts + ((<usize>count) << 2), <u32>((out - result.codes) >> 2));
}

/** Sources that are alike, document by document. */
function findByDocument(context: Context, sources: usize, sourceCount: u32, found: FoundList): void {
  const first = sourceAt(sources, 0);
  const view = changetype<SegmentView>(first.view);
  const base = first.base;
  const within = first.within;
  let from = first.from;
  let to = first.to;
  for (let s: u32 = 1; s < sourceCount; s++) {
    from = min<u32>(from, sourceAt(sources, s).from);
    to = max<u32>(to, sourceAt(sources, s).to);
  }
  const wanted: usize = sourceCount === 1 ? <usize>0 : termsOf(sources, sourceCount, from, to);
  for (let i: u32 = 0; i < context.count; i++) {
    const slot = load<u32>(context.slots + ((<usize>i) << 2));
    if (slot < base || slot - base >= view.docCount || (within && !bitmapHas(within, slot))) continue;
    const end = documentTermsEnd(view, slot - base);
    for (let entry = documentTermsFrom(view, slot - base, from); entry < end; entry += offsetof<DocumentTerm>()) {
      const term = documentTermAt(entry);
      if (term >= to) break;
      if (wanted && !bitmapHas(wanted, term - from)) continue;
      foundAdd(found, i, documentTermPositions(view, entry), documentTermLength(view, entry));
    }
  }
}

function findByTerm(context: Context, source: Source, found: FoundList): void {
  const base = source.base;
  const within = source.within;
  for (let term = source.from; term < source.to; term++) {
    postingsBegin(source.view, term);
    while (postingsNextIn(context.bitmap, base)) {
      const slot = base + postingsDoc();
      if (within && !bitmapHas(within, slot)) continue;
      foundAdd(found, contextIndex(context, slot), postingsPositions(), postingsPositionsLength());
    }
  }
}

/** Insertion sort: a document holds few occurrences of the words of one node, and runs are sorted already. */
function sortCodes(from: usize, to: usize): void {
  for (let at = from + 4; at < to; at += 4) {
    const code = load<u32>(at);
    let place = at;
    while (place > from && load<u32>(place - 4) > code) {
      store<u32>(place, load<u32>(place - 4));
      place -= 4;
    }
    if (place !== at) store<u32>(place, code);
  }
}
