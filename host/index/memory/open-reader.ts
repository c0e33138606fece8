import { IndexReader } from '../../../bindings/engine/segments.js';
import type { IndexView } from '../../../bindings/index-types.js';
import type { ThreadContext } from './thread-context.js';

/**
 * A reader whose bitmaps are in the memory that holds most of the index's segments; for segments in other memories they are
 * copied.
 */
export function openReader(view: IndexView, readerContext: ThreadContext): IndexReader {
  const bytes = new Map<number, number>();
  for (const segment of view.segments) bytes.set(segment.memory, (bytes.get(segment.memory) ?? 0) + segment.residentLength);
  const [fullest] = [...bytes].sort((a, b) => b[1] - a[1] || a[0] - b[0])[0] ?? [0];
  return new IndexReader(view, readerContext.instance(fullest), readerContext);
}
