/** The primary keys of the documents of a segment. */
import { SegmentView } from './view';

/** Local number of the document with a primary key (UTF-8), or -1. */
export function keyLookup(viewPointer: usize, key: usize, length: u32): i32 {
  const view = changetype<SegmentView>(viewPointer);
  let low: u32 = 0;
  let high = view.docCount;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const local = load<u32>(view.keyOrder + ((<usize>middle) << 2));
    const start = view.keyStarts + ((<usize>local) << 2);
    const from = load<u32>(start);
    const bytes = load<u32>(start, 4) - from;
    let order = memory.compare(view.keyBytes + from, key, min<u32>(bytes, length));
    if (order === 0) order = <i32>bytes - <i32>length;
    if (order === 0) return <i32>local;
    if (order < 0) low = middle + 1;
    else high = middle;
  }
  return -1;
}
