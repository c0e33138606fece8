/**
 * The exact-attribute part of the exactness rule for a query of one word: whether an attribute begins with it, or consists of it, read from
 * the postings of the word alone.
 */
import { blockCreate } from '../postings/block';
import { postingsBegin, postingsBlockIn } from '../postings/decode';
import { attributeAt, attributeOrInto } from '../postings/long-runs';
import { alloc } from '../runtime/arena';
import { bitmapBytes, LongRun } from '../segment/layout';
import { SegmentView } from '../segment/view';
import { bitmapAdd } from '../sets/bitmap';
import { EXACT_MATCH, MATCHES_START, NO_EXACT_MATCH } from './exactness';
import { beginsAttribute, groupAttribute, groupsBegin, groupsNext } from './positions';
import { ATTRIBUTE_SEARCHED, Source } from './sources';
import { addSpans, isCounted, isSpan } from './word-counts';

/**
 * Adds the documents of a bitmap over slots to one of two consecutive bitmaps of `bytes` bytes: those where an attribute has `span` words,
 * and others where one begins with the word. `source`: the term in one segment; `fieldFlags`: u8 per field, see ATTRIBUTE_SEARCHED.
 */
export function firstWord(source: Source, documents: usize, bytes: u32, span: u32, fieldFlags: usize, levels: usize): void {
  const block = blockCreate();
  postingsBegin(source.view, source.from);
  for (
    let found = postingsBlockIn(block, documents, source.base);
    found > 0;
    found = postingsBlockIn(block, documents, source.base)
  ) {
    for (let k: u32 = 0; k < found; k++) {
      const at = (<usize>load<u8>(block.found + k)) << 2;
      const positions: usize = load<u32>(block.positions + at);
      const length = load<u32>(block.lengths + at);
      if (!beginsAttribute(positions, length)) continue;
      const local = load<u32>(block.docs + at);
      const level = levelOf(source.view, local, positions, length, span, fieldFlags);
      if (level !== NO_EXACT_MATCH) bitmapAdd(levels + <usize>(<u32>level * bytes), source.base + local);
    }
  }
}

/**
 * Adds the documents of a bitmap over the documents of a segment in which an attribute has `span` words, and has the word, whose documents are
 * stored by attribute.
 */
export function exactDocuments(view: SegmentView, run: LongRun, documents: usize, span: u32, out: usize): void {
  if (!isCounted(span)) return;
  const bytes = bitmapBytes(view.docCount);
  const own = alloc(bytes);
  for (let i: u32 = 0; i < run.attributeCount; i++) {
    const part = attributeAt(view, run, i);
    memory.fill(own, 0, bytes);
    attributeOrInto(view, run, part, own, 0);
    addSpans(view, part.attribute, span, documents, own, bytes, out);
  }
}

/** Checks each attribute that contains the word. */
function levelOf(view: usize, local: u32, positions: usize, length: u32, span: u32, fieldFlags: usize): u8 {
  let level = NO_EXACT_MATCH;
  groupsBegin(positions, length);
  while (level !== EXACT_MATCH && groupsNext()) {
    if (!(load<u8>(fieldFlags + groupAttribute()) & ATTRIBUTE_SEARCHED)) continue;
    level = isSpan(view, local, groupAttribute(), span) ? EXACT_MATCH : MATCHES_START;
  }
  return level;
}
