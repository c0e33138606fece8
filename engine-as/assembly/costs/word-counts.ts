/** The number of words in an attribute of a document. A drawing is in segment/layout.ts. */
import { WordColumns } from '../segment/layout';
import { SegmentView } from '../segment/view';

/** Word counts above this are stored as unknown. */
const MAX_COUNTED_WORDS: u32 = 30;

/** Whether an attribute of a document has this many words. Numbers above {@link MAX_COUNTED_WORDS} are not known. */
export function isSpan(view: usize, local: u32, attribute: u32, span: u32): bool {
  return span > 0 && span <= MAX_COUNTED_WORDS && wordsIn(changetype<SegmentView>(view), local, attribute) === span;
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
