import t from 'tap';
import { worthMerging } from '../index/commits/merge.js';
import type { StoredSegment } from '../index/types.js';

t.test('segments are merged tier by tier, or when most of their documents are deleted', async (t) => {
  const segment = (id: number, megabytes: number, liveCount = 100): StoredSegment => ({
    id,
    file: `${id}.seg`,
    docCount: 100,
    liveCount,
    residentLength: 1,
    fileLength: megabytes * (1 << 20),
    rawBytes: 1,
  });
  const chosen = (...segments: StoredSegment[]) => worthMerging(segments).map(({ id }) => id);
  t.same(chosen(segment(1, 0.1), segment(2, 0.2), segment(3, 0.1)), []);
  t.same(chosen(segment(1, 50), segment(2, 0.2), segment(3, 0.1), segment(4, 0.1), segment(5, 1)), [2, 3, 4, 5]);
  t.same(chosen(segment(1, 3), segment(2, 3), segment(3, 3), segment(4, 3), segment(5, 100)), [1, 2, 3, 4]);
  t.same(chosen(segment(1, 50), segment(2, 10, 30)), [2]);
  t.same(chosen(segment(1, 900), segment(2, 900), segment(3, 900), segment(4, 900)), [], 'large segments stay');
});
