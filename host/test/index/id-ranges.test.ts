import t from 'tap';
import { IdAllocator } from '../../index/build/batch/id-ranges.js';

t.test('internal ids are assigned lowest first, and freed ranges are merged', async (t) => {
  const ids = new IdAllocator(
    [
      [2, 3],
      [7, 7],
    ],
    10,
  );
  t.same([ids.take(), ids.take(), ids.take(), ids.take()], [2, 3, 7, 10]);
  t.same(ids.after([5, 3, 4]), { freeIds: [[3, 5]], nextInternalId: 11 });
  t.same(ids.after([10, 0, 9]), { freeIds: [[0, 0]], nextInternalId: 9 });
});
