import t from 'tap';
import { requestId } from '../request-ids.js';

/** Milliseconds · version · random · variant · random. */
const UUID_V7 = /^([0-9a-f]{8})-([0-9a-f]{4})-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const COUNT = 10_000;

t.test('ids are UUIDs of version 7, and each is another one', (t) => {
  const before = Date.now();
  const ids = Array.from({ length: COUNT }, requestId);
  const after = Date.now();
  t.equal(new Set(ids).size, COUNT);
  for (const id of ids) {
    const [, high = '', low = ''] = UUID_V7.exec(id) ?? [];
    const time = Number.parseInt(high + low, 16);
    if (!(before <= time && time <= after)) t.fail(`${id} has another time`);
  }
  t.end();
});
