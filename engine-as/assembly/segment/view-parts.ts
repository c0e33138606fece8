/** What belongs to a field or a document of an open segment. */
import { SectionEntry } from './layout';
import { SegmentView } from './view';

/** Address of the ColumnHeader of a field, or 0 when no document of the segment has the field or it has no column. */
export function columnOf(viewPointer: usize, field: u32): usize {
  const view = changetype<SegmentView>(viewPointer);
  return sectionOfField(view, view.columns, view.columnCount, field);
}

/** Address of the ValueDocumentsHeader of a field, or 0 when there is none, as in segments of revisions 0 and 1. */
export function valueDocumentsOf(view: SegmentView, field: u32): usize {
  return sectionOfField(view, view.valueDocuments, view.valueDocumentsCount, field);
}

/** Address of the section of a field among `count` of one kind (SectionEntry[] by ascending field), or 0. */
function sectionOfField(view: SegmentView, entries: usize, count: u32, field: u32): usize {
  let low: u32 = 0;
  let high = count;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const entry = changetype<SectionEntry>(entries + <usize>middle * offsetof<SectionEntry>());
    if (entry.field === field) return view.base + <usize>entry.offset;
    if (entry.field < field) low = middle + 1;
    else high = middle;
  }
  return 0;
}

/** Internal id of a document. */
export function documentId(viewPointer: usize, local: u32): u32 {
  assert(local < changetype<SegmentView>(viewPointer).docCount, 'a document beyond the last one');
  return load<u32>(changetype<SegmentView>(viewPointer).docIds + ((<usize>local) << 2));
}
