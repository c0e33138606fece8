/**
 * The occurrences of words in the documents of a context, read from the postings of the words or from the words of the documents,
 * whichever costs less.
 */

import { blockCreate } from '../postings/block';
import { postingsBegin, postingsBlockIn } from '../postings/decode';
import { documentCodes, documentWordCount } from '../postings/document-words';
import { alloc, allocMore, allocZeroed } from '../runtime/arena';
import { Buffer } from '../runtime/buffer';
import { SegmentView } from '../segment/view';
import { bitmapHas } from '../sets/bitmap';
import { ABSENT, Context, contextIndex } from './context';
import { decodeCodes } from './positions';
import { appliesTo, areReadByDocument, GROUP_BYTES, Group, groupAt, groupsOf, prefetchNext, viewOf } from './source-groups';
import { Source, sourceAt } from './sources';

@unmanaged
export class Occurrences {
  /** u32[count + 1]: first code of each document */
  starts: usize;
  /** u32 codes `attribute << 16 | position`, ascending within a document */
  codes: usize;
}

/** Growth increment of the block at the top of the arena, in bytes. */
const RESERVED_BYTES: usize = 65536;

/** Collects the occurrences of the words of some sources in the documents of a context. */
export function occurrencesOf(contextPointer: usize, sources: usize, sourceCount: u32): usize {
  const context = changetype<Context>(contextPointer);
  const result = changetype<Occurrences>(alloc(offsetof<Occurrences>()));
  result.starts = alloc((<usize>context.count + 1) << 2);
  const first = sourceAt(sources, 0);
  const single = sourceCount === 1 && first.to === first.from + 1;
  if (single && !areReadByDocument(context, sources, 1, false)) ofTerm(context, first, result);
  else ofSources(context, sources, sourceCount, result);
  return changetype<usize>(result);
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

/** A single term: its postings are in document order. */
function ofTerm(context: Context, source: Source, result: Occurrences): void {
  const base = source.base;
  const within = source.within;
  const bitmap = context.bitmap;
  const block = blockCreate();
  codesBegin();
  let out = codes;
  let next: u32 = 0;
  postingsBegin(source.view, source.from);
  for (let found = postingsBlockIn(block, bitmap, base); found > 0; found = postingsBlockIn(block, bitmap, base)) {
    for (let k: u32 = 0; k < found; k++) {
      const at = (<usize>load<u8>(block.found + k)) << 2;
      const slot = base + load<u32>(block.docs + at);
      if (within && !bitmapHas(within, slot)) continue;
      const index = contextIndex(context, slot);
      if (index === ABSENT) continue;
      const length = load<u32>(block.lengths + at);
      out = codesRoom(out, length);
      const from = <u32>((out - codes) >> 2);
      while (next <= index) {
        store<u32>(result.starts + ((<usize>next) << 2), from);
        next++;
      }
      out = decodeCodes(load<u32>(block.positions + at), length, out);
    }
  }
  const total = <u32>((out - codes) >> 2);
  while (next <= context.count) {
    store<u32>(result.starts + ((<usize>next) << 2), total);
    next++;
  }
  result.codes = codes;
}

/** Several terms. */
function ofSources(context: Context, sources: usize, sourceCount: u32, result: Occurrences): void {
  const groups = groupsOf(context, sources, sourceCount);
  const list = changetype<Buffer>(groups);
  const count = <u32>(list.length / GROUP_BYTES);
  let isDirect = true;
  for (let g: u32 = 0; g < count && isDirect; g++) {
    isDirect = groupAt(list.data, g).byDocument;
    // Each document is looked up once.
    for (let other: u32 = 0; other < g; other++) if (viewOf(list.data, other) === viewOf(list.data, g)) isDirect = false;
  }
  if (isDirect) ofDocuments(context, list.data, count, result);
  else ofGroups(context, list.data, count, result);
}

/** Groups of different segments: their documents are looked up one after the other. */
function ofDocuments(context: Context, groups: usize, groupCount: u32, result: Occurrences): void {
  codesBegin();
  let out = codes;
  for (let i: u32 = 0; i < context.count; i++) {
    store<u32>(result.starts + ((<usize>i) << 2), <u32>((out - codes) >> 2));
    const slot = load<u32>(context.slots + ((<usize>i) << 2));
    for (let g: u32 = 0; g < groupCount; g++) {
      const group = groupAt(groups, g);
      const first = sourceAt(group.sources, 0);
      prefetchNext(context, first, i);
      if (!appliesTo(group, slot)) continue;
      const view = changetype<SegmentView>(first.view);
      out = codesRoom(out, documentWordCount(view, slot - first.base));
      const start = out;
      out = documentCodes(view, slot - first.base, group.from, group.to, group.wanted, out);
      sortCodes(start, out);
    }
  }
  store<u32>(result.starts + ((<usize>context.count) << 2), <u32>((out - codes) >> 2));
  result.codes = codes;
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
function ofGroups(context: Context, groups: usize, groupCount: u32, result: Occurrences): void {
  const count = context.count;
  const found = changetype<FoundList>(alloc(offsetof<FoundList>()));
  found.heads = allocZeroed(((<usize>count) << 2) + 16);
  found.free = 0;
  found.freeEnd = 0;
  found.codes = 0;
  for (let g: u32 = 0; g < groupCount; g++) {
    const group = groupAt(groups, g);
    if (group.byDocument) findByDocument(context, group, found);
    else for (let k: u32 = 0; k < group.count; k++) findByTerm(context, sourceAt(group.sources, k), found);
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
    sortCodes(first, out);
  }
  store<u32>(result.starts + ((<usize>count) << 2), <u32>((out - result.codes) >> 2));
}

/** Reads a group document by document. */
function findByDocument(context: Context, group: Group, found: FoundList): void {
  const first = sourceAt(group.sources, 0);
  const view = changetype<SegmentView>(first.view);
  for (let i: u32 = 0; i < context.count; i++) {
    prefetchNext(context, first, i);
    const slot = load<u32>(context.slots + ((<usize>i) << 2));
    if (!appliesTo(group, slot)) continue;
    const own = alloc((<usize>documentWordCount(view, slot - first.base)) << 2);
    const end = documentCodes(view, slot - first.base, group.from, group.to, group.wanted, own);
    if (end > own) foundAdd(found, i, own, <u32>(end - own), true);
  }
}

function findByTerm(context: Context, source: Source, found: FoundList): void {
  const base = source.base;
  const within = source.within;
  const block = blockCreate();
  for (let term = source.from; term < source.to; term++) {
    postingsBegin(source.view, term);
    for (
      let count = postingsBlockIn(block, context.bitmap, base);
      count > 0;
      count = postingsBlockIn(block, context.bitmap, base)
    ) {
      for (let k: u32 = 0; k < count; k++) {
        const at = (<usize>load<u8>(block.found + k)) << 2;
        const slot = base + load<u32>(block.docs + at);
        if (within && !bitmapHas(within, slot)) continue;
        const index = contextIndex(context, slot);
        if (index !== ABSENT) foundAdd(found, index, load<u32>(block.positions + at), load<u32>(block.lengths + at), false);
      }
    }
  }
}

/** Insertion sort: a document has few occurrences of the words of a node, mostly in order. */
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
