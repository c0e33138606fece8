import t from 'tap';
import { worthMerging } from '../../index/commits/merge.js';
import type { StoredSegment } from '../../index/record.js';
import { TestDatabase } from '../support/test-database.js';

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
  const chosen = (...segments: StoredSegment[]) => worthMerging(segments, 1 << 30).map(({ id }) => id);
  t.same(chosen(segment(1, 0.1), segment(2, 0.2), segment(3, 0.1)), []);
  t.same(chosen(segment(1, 50), segment(2, 0.02), segment(3, 0.01), segment(4, 0.01), segment(5, 0.06)), [2, 3, 4, 5]);
  t.same(chosen(segment(1, 0.9), segment(2, 0.01), segment(3, 0.01), segment(4, 0.01)), [], 'few small ones wait');
  t.same(chosen(segment(1, 3), segment(2, 3), segment(3, 3), segment(4, 3), segment(5, 100)), [1, 2, 3, 4]);
  t.same(chosen(segment(1, 50), segment(2, 10, 30)), [2]);
  t.same(chosen(segment(1, 900), segment(2, 900), segment(3, 900), segment(4, 900)), [], 'large segments stay');
  t.same(
    worthMerging(
      [1, 2, 3, 4].map((id) => segment(id, 3)),
      10 << 20,
    ),
    [],
    'segments that could not be written as one stay',
  );
});

t.test('merges end with the least memory too', async (t) => {
  const database = await TestDatabase.open(t, { maxIndexingMemory: 1 << 20 });
  await database.create('a', 'id');
  const words = Array.from({ length: 40_000 }, (_, index) => `w${(index * 2654435761) % 1_000_003}`);
  // several segments, each of the size that the least memory for a builder allows
  const documents = Array.from({ length: 4000 }, (_, id) => {
    return { id, text: Array.from({ length: 1000 }, (_, word) => words[(id * 211 + word * 37) % words.length]).join(' ') };
  });
  await database.apply('a', await database.add(documents));
  const { segments } = database.indexStore.indexes.get('a')!;
  t.ok(segments.length >= 4, `${segments.length} segments`);
  let merges = 0;
  for (
    let draft = await database.indexStore.merges.mergeIfWorthwhile('a');
    draft;
    draft = await database.indexStore.merges.mergeIfWorthwhile('a')
  ) {
    await database.commit(draft);
    if (++merges > 10) break;
  }
  t.ok(merges <= 10, `${merges} merges`);
  t.equal((await database.documents('a')).length, 4000);
});
