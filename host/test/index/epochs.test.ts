import t from 'tap';
import { Epochs } from '../../index/memory/epochs.js';
import { until } from '../support/until.js';

t.test('resources are released in order once no reader or pin has an older version', async (t) => {
  let oldest = Number.POSITIVE_INFINITY;
  const epochs = new Epochs(() => oldest);
  t.teardown(() => epochs.close());
  const released: number[] = [];
  for (const version of [2, 3, 4]) epochs.retire(version, () => released.push(version));
  oldest = 2;
  epochs.sweep();
  t.same(released, [2]);
  const unpin = epochs.pin(3);
  oldest = Number.POSITIVE_INFINITY;
  epochs.sweep();
  t.same(released, [2, 3]);
  unpin();
  t.same(released, [2, 3, 4]);
  t.equal(epochs.waiting, 0);
  epochs.retire(9, () => released.push(9));
  oldest = 8;
  epochs.sweep();
  oldest = 9;
  await until('what waits is tried again without being asked', () => released.length > 3);
  t.same(released, [2, 3, 4, 9]);
});
