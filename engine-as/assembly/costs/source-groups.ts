/** The sources of occurrences by segment, and whether these are read from postings or looked up by document. */
import { averageWordCount, hasDocumentWords, prefetchDocumentWords } from '../postings/document-words';
import { alloc, allocZeroed } from '../runtime/arena';
import { Buffer, bufferCreate, bufferRoom } from '../runtime/buffer';
import { bitmapBytes } from '../segment/layout';
import { SegmentView } from '../segment/view';
import { bitmapHas, bitmapSetRange } from '../sets/bitmap';
import { Context, contextCount } from './context';
import { runPostings, Source, sourceAt } from './sources';
import { postingsCostOf } from './term-postings';

/**
 * Cost model: looking up a document, which waits for memory, costs as much as reading this many consecutive postings, plus one per
 * word of the document.
 */
const LOOKUP_COST: u32 = 24;

/** Cost model: starting to read the postings of a term costs as much as reading this many consecutive postings. */
const TERM_COST: u32 = 8;
/**
 * Cost model: linking a posting to the others of its document, which misses caches, costs as much as reading this many
 * consecutive postings.
 */
const CHAIN_COST: u64 = 8;

/** Cost model: reading the words of a document for a further set of words costs as much as reading them for the first one, as 1/n. */
const FURTHER_SHARE: u64 = 4;

/** Cost of looking up the documents of a context in the segment of a source; in a segment without words of documents: none can be. */
function lookupCost(context: Context, source: Source): u64 {
  const view = changetype<SegmentView>(source.view);
  if (!hasDocumentWords(view)) return u64.MAX_VALUE >>> 1;
  return <u64>documentsIn(context, source) * (LOOKUP_COST + averageWordCount(view));
}

function documentsIn(context: Context, source: Source): u32 {
  return contextCount(context, source.base, source.base + changetype<SegmentView>(source.view).docCount);
}

/**
 * Cost of reading all postings of sources that belong to one segment, counted up to `limit`. `chained`: what is found must be sorted by
 * document, which costs extra.
 */
function postingsCost(context: Context, sources: usize, sourceCount: u32, chained: bool, limit: u64): u64 {
  const first = sourceAt(sources, 0);
  const view = changetype<SegmentView>(first.view);
  // Average number of postings of the terms that are in the context.
  const documents = documentsIn(context, first);
  const found = chained ? <u64>documents * CHAIN_COST : 0;
  let cost: u64 = 0;
  for (let s: u32 = 0; s < sourceCount && cost <= limit; s++) {
    const source = sourceAt(sources, s);
    for (let term = source.from; term < source.to && cost <= limit; term++) {
      const postings = <u64>load<u32>(view.termDocFreq + ((<usize>term) << 2));
      cost += TERM_COST + postingsCostOf(view, term, documents) + (postings * found) / view.docCount;
    }
  }
  return cost;
}

/** Whether looking each document up costs less than reading all postings of a source. */
export function areReadByDocument(context: Context, source: Source): bool {
  const postings = <u64>runPostings(source.view, source.from, source.to);
  return <u64>(source.to - source.from) * TERM_COST + postings > lookupCost(context, source);
}

/**
 * Decides for groups of several sets of words (u32[count], addresses of Group) whether they are read by document: a document that is read for
 * one set costs little for another one.
 */
export function decideByDocument(groups: usize, count: u32): void {
  for (let i: u32 = 0; i < count; i++) {
    const first = groupIn(groups, i);
    if (first.isDecided) continue;
    const lookup = first.lookupCost;
    const further = lookup / FURTHER_SHARE;
    let byPostings: u64 = 0;
    let byDocument: u64 = lookup - further;
    for (let k = i; k < count; k++) {
      const group = groupIn(groups, k);
      if (!areOfOneSegment(group, first)) continue;
      byPostings += group.postingsCost;
      byDocument += min<u64>(group.postingsCost, further);
    }
    for (let k = i; k < count; k++) {
      const group = groupIn(groups, k);
      if (!areOfOneSegment(group, first)) continue;
      group.byDocument = byDocument < byPostings && group.postingsCost > further;
      group.isDecided = true;
    }
  }
}

/** Whether reading the postings of all sources, in no order of documents, costs less than looking documents up. */
export function areReadByPostings(context: Context, sources: usize, sourceCount: u32): bool {
  const groups = groupsOf(context, sources, sourceCount, true);
  for (let g: u32 = 0; g < groupCount(groups); g++) {
    const group = groupAt(groups, g);
    if (group.postingsCost > group.lookupCost) return false;
  }
  return true;
}

function groupIn(groups: usize, index: u32): Group {
  return changetype<Group>(<usize>load<u32>(groups + ((<usize>index) << 2)));
}

/** Documents whose words are prefetched together, before they are read. */
const PREFETCH_DOCUMENTS: u32 = 32;
/** From this share of the documents of a segment on, as 1/n, processors prefetch the words of the next ones by themselves. */
const DENSE_SHARE: u32 = 8;

/**
 * To be called for each index of a context in turn before the words of its document are read: prefetches those of the next {@link
 * PREFETCH_DOCUMENTS} documents in the segment of a source, once for all of them.
 */
export function prefetchNext(context: Context, source: Source, index: u32): void {
  if (index % PREFETCH_DOCUMENTS !== 0) return;
  const view = changetype<SegmentView>(source.view);
  if (context.count > view.docCount / DENSE_SHARE) return;
  const base = source.base;
  for (let i = index; i < min<u32>(index + PREFETCH_DOCUMENTS, context.count); i++) {
    const slot = load<u32>(context.slots + ((<usize>i) << 2));
    if (slot >= base && slot - base < view.docCount) context.prefetched += prefetchDocumentWords(view, slot - base);
  }
}

/** Sources of one segment that apply to the same documents. */
@unmanaged
export class Group {
  /** Source[count] */
  sources: usize;
  count: u32;
  byDocument: bool;
  /** see {@link decideByDocument} */
  isDecided: bool;
  /** cost of reading the postings of the sources, and of looking up the documents */
  postingsCost: u64;
  lookupCost: u64;
  /** terms [from, to) include those of all sources; bitmap of the terms of the sources, relative to `from`; 0: all of them */
  from: u32;
  to: u32;
  wanted: usize;
}

const GROUP_BYTES: usize = offsetof<Group>();

export function groupCount(groups: usize): u32 {
  return <u32>(changetype<Buffer>(groups).length / GROUP_BYTES);
}

export function groupAt(groups: usize, index: u32): Group {
  return changetype<Group>(changetype<Buffer>(groups).data + <usize>index * GROUP_BYTES);
}

function isAlike(source: Source, other: Source): bool {
  return source.view === other.view && source.within === other.within;
}

/**
 * A Buffer of Group: sources with equal parameters, in the order of their first ones. How they are read is not decided. `isStreamed`: their
 * postings need not be in the order of documents.
 */
export function groupsOf(context: Context, sources: usize, sourceCount: u32, isStreamed: bool): usize {
  const isChained = !isStreamed && !areTermsApart(sources, sourceCount);
  const groups = bufferCreate(4 * GROUP_BYTES);
  const taken = allocZeroed(sourceCount);
  for (let s: u32 = 0; s < sourceCount; s++) {
    if (load<u8>(taken + s)) continue;
    const first = sourceAt(sources, s);
    const group = changetype<Group>(bufferRoom(groups, GROUP_BYTES));
    changetype<Buffer>(groups).length += GROUP_BYTES;
    group.sources = alloc(<usize>(sourceCount - s) * offsetof<Source>());
    group.count = 0;
    group.from = first.from;
    group.to = first.to;
    for (let k = s; k < sourceCount; k++) {
      const source = sourceAt(sources, k);
      if (!isAlike(source, first)) continue;
      store<u8>(taken + k, 1);
      memory.copy(changetype<usize>(sourceAt(group.sources, group.count++)), changetype<usize>(source), offsetof<Source>());
      group.from = min<u32>(group.from, source.from);
      group.to = max<u32>(group.to, source.to);
    }
    group.lookupCost = lookupCost(context, first);
    group.postingsCost = postingsCost(context, group.sources, group.count, isChained, group.lookupCost << 1);
    group.isDecided = false;
    group.byDocument = false;
    group.wanted = 0;
  }
  return groups;
}

/** Whether sources are single terms of different segments, in their order: then the postings of all are in the order of documents. */
export function areTermsApart(sources: usize, sourceCount: u32): bool {
  for (let s: u32 = 0; s < sourceCount; s++) {
    const source = sourceAt(sources, s);
    if (source.to !== source.from + 1 || (s > 0 && source.base <= sourceAt(sources, s - 1).base)) return false;
  }
  return true;
}

/** Sets the bitmap of wanted terms of a group that is read by document. */
export function groupWanted(group: Group): void {
  if (group.count > 1) group.wanted = termsOf(group.sources, group.count, group.from, group.to);
}

/** A bitmap of the terms of some sources in [from, to), relative to `from`. */
function termsOf(sources: usize, sourceCount: u32, from: u32, to: u32): usize {
  const bytes = bitmapBytes(to - from);
  const terms = alloc(bytes);
  memory.fill(terms, 0, bytes);
  for (let s: u32 = 0; s < sourceCount; s++) {
    bitmapSetRange(terms, sourceAt(sources, s).from - from, sourceAt(sources, s).to - from);
  }
  return terms;
}

export function areOfOneSegment(group: Group, other: Group): bool {
  return sourceAt(group.sources, 0).view === sourceAt(other.sources, 0).view;
}

/** Whether a slot is in the segment of a group and the group applies to it. */
export function appliesTo(group: Group, slot: u32): bool {
  const first = sourceAt(group.sources, 0);
  if (slot < first.base || slot - first.base >= changetype<SegmentView>(first.view).docCount) return false;
  return first.within === 0 || bitmapHas(first.within, slot);
}
