/** The number of words in an attribute of a document. A drawing is in segment/layout.ts. */
import { WordColumns } from '../segment/layout';
import { SegmentView } from '../segment/view';

/** Word counts above this are stored as unknown. */
const MAX_COUNTED_WORDS: u32 = 30;

/** Whether attributes are known to have this many words, where they do. */
export function isCounted(span: u32): bool {
  return span > 0 && span <= MAX_COUNTED_WORDS;
}

/** Whether an attribute of a document has this many words. Numbers above {@link MAX_COUNTED_WORDS} are not known. */
export function isSpan(view: usize, local: u32, attribute: u32, span: u32): bool {
  return isCounted(span) && wordsIn(changetype<SegmentView>(view), local, attribute) === span;
}

/** Documents of a column that are compared at once. */
const LANES: u32 = 16;

/**
 * Adds the documents that two bitmaps over the documents of a segment share, and in which an attribute has `span` words, to a third one. Other
 * sections follow the columns, so whole vectors may be read at their ends.
 */
export function addSpans(view: SegmentView, attribute: u32, span: u32, left: usize, right: usize, bytes: u32, out: usize): void {
  const column = columnOf(view.wordColumns, attribute);
  const wanted = i8x16.splat(<i8>span);
  for (let at: u32 = 0; at < bytes; at += LANES) {
    const shared = v128.and(v128.load(left + at), v128.load(right + at));
    if (!v128.any_true(shared)) continue;
    for (let part = at; part < at + LANES; part += 2) {
      const documents = load<u16>(left + part) & load<u16>(right + part);
      if (documents === 0) continue;
      const first = part << 3;
      const equal =
        column !== 0
          ? <u16>i8x16.bitmask(i8x16.eq(v128.load(column + first), wanted))
          : spansOf(view, attribute, span, first, documents);
      store<u16>(out + part, load<u16>(out + part) | (documents & equal));
    }
  }
}

/** Those of sixteen documents (a bit each) in which an attribute without a column has `span` words. */
function spansOf(view: SegmentView, attribute: u32, span: u32, first: u32, documents: u32): u16 {
  let found: u32 = 0;
  for (let left = documents; left !== 0; left &= left - 1) {
    const place = ctz<u32>(left);
    if (wordsIn(view, first + place, attribute) === span) found |= 1 << place;
  }
  return <u16>found;
}

/** Number of words in an attribute of a document; 31 when there are more than 30. */
function wordsIn(view: SegmentView, local: u32, attribute: u32): u32 {
  const column = columnOf(view.wordColumns, attribute);
  if (column !== 0) return load<u8>(column + local);
  if (view.wordCountStarts === 0) return 0;
  const starts = view.wordCountStarts + ((<usize>local) << 2);
  const to = load<u32>(starts, 4);
  for (let at = load<u32>(starts); at < to; at++) {
    const entry = load<u32>(view.wordCountEntries + ((<usize>at) << 2));
    if (entry >>> 8 === attribute) return entry & 0xff;
  }
  return 0;
}

/** u8 by document: the words in an attribute; 0: they are in the entries of the documents. */
function columnOf(section: usize, attribute: u32): usize {
  if (section === 0 || attribute >= changetype<WordColumns>(section).attributeCount) return 0;
  const offset = load<u32>(section + offsetof<WordColumns>() + ((<usize>attribute) << 2));
  return offset === 0 ? 0 : section + offset;
}
