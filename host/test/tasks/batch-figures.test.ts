import fs from 'node:fs';
import path from 'node:path';
import t from 'tap';
import { traceMilliseconds } from '../../observe/gauges.js';
import { startServer } from '../server.js';
import { until } from '../support/until.js';

const UNITS = ['B', 'KiB', 'MiB', 'GiB'];

/** `1.50 KiB (+512.00 B)` -> the bytes and by how much they changed. */
function sizesOf(text: string): { bytes: number; change: number } {
  const [, bytes, unit, sign, change, changeUnit] = /^([\d.]+) (\w+) \(([+-])([\d.]+) (\w+)\)$/.exec(text)!;
  const inBytes = (number: string, name: string) => Number(number) * 1024 ** UNITS.indexOf(name);
  return { bytes: inBytes(bytes!, unit!), change: inBytes(change!, changeUnit!) * (sign === '-' ? -1 : 1) };
}

const documents = (count: number) =>
  Array.from({ length: count }, (_, id) => ({ id, text: `word${id % 97} and another${id % 1009}`, n: id }));

t.test('a batch reports the duration of its steps, its writes and sizes', async (t) => {
  const server = await startServer();
  t.teardown(() => server.close());
  const batchOf = async ({ batchUid }: { batchUid: number }) => (await server.call('GET', `/batches/${batchUid}`)).body;
  const task = await server.task('POST', '/indexes/a/documents', documents(5000));
  const { stats, duration } = await batchOf(task);

  const whole = traceMilliseconds(stats.progressTrace['processing tasks']);
  const total = Number(/^PT([\d.]+)S$/.exec(duration)![1]) * 1000;
  // the time of a step is a text of three digits or more
  t.ok(whole > 1 && whole <= total + 10, `${whole} of ${total} ms`);
  for (const time of Object.values<string>(stats.progressTrace)) t.match(time, /^\d+\.\d\d(?:ns|µs|ms|s)$/);

  const { attempts, blocking_attempts: blocked, blocking_ratio: ratio } = stats.writeChannelCongestion;
  t.ok(attempts > 2, `${attempts} writes`);
  t.ok(blocked >= 0 && blocked <= attempts);
  t.equal(ratio, blocked / attempts);

  const raw = JSON.stringify(documents(5000)).length - 5001;
  const stored = sizesOf(stats.internalDatabaseSizes.documents);
  t.ok(Math.abs(stored.bytes - raw) / raw < 0.01, `${stored.bytes} bytes of ${raw}`);
  t.equal(stored.change, stored.bytes, 'an index that was empty');
  const onDisk = fs
    .readdirSync(path.join(server.folder, 'segments'))
    .reduce((sum, name) => sum + fs.statSync(path.join(server.folder, 'segments', name)).size, 0);
  t.ok(Math.abs(sizesOf(stats.internalDatabaseSizes.segments).bytes - onDisk) / onDisk < 0.01);

  const cleared = await batchOf(await server.task('DELETE', '/indexes/a/documents'));
  const left = sizesOf(cleared.stats.internalDatabaseSizes.documents);
  t.ok(left.bytes === 0 && left.change < 0, cleared.stats.internalDatabaseSizes.documents);

  const more = await batchOf(await server.task('POST', '/indexes/b/documents', documents(20)));
  t.ok(more.stats.writeChannelCongestion.attempts < 3 * attempts, 'each batch counts its own writes');
  const creation = await batchOf(await server.task('POST', '/indexes', { uid: 'c' }));
  t.notOk('writeChannelCongestion' in creation.stats, 'only batches that write documents or settings tell of it');
  t.notOk('internalDatabaseSizes' in creation.stats);
});

t.test('a batch reports the duration of the steps within its longest one', async (t) => {
  const server = await startServer();
  t.teardown(() => server.close());
  // Threads report their progress every 100 ms: a batch of few documents may end before.
  for (let count = 20_000; ; count *= 2) {
    const { batchUid } = await server.task('POST', '/indexes/a/documents', documents(count));
    const { stats } = (await server.call('GET', `/batches/${batchUid}`)).body;
    const trace = Object.entries<string>(stats.progressTrace).map(([steps, time]) => [steps, traceMilliseconds(time)] as const);
    const inner = trace.filter(([steps]) => /^processing tasks > [^>]+$/.test(steps)).map(([, time]) => time);
    if (inner.length === 0) continue;
    const whole = new Map(trace).get('processing tasks')!;
    t.ok(inner.reduce((sum, time) => sum + time, 0) <= whole + 1, 'they take no longer than the whole');
    return;
  }
});

t.test('a running batch shows its progress', async (t) => {
  const server = await startServer();
  t.teardown(() => server.close());
  const { body } = await server.call('POST', '/indexes/a/documents', documents(150_000));
  const seen = new Set<string>();
  let highest = 0;
  await until('the batch is seen at work', async () => {
    const { results } = (await server.call('GET', '/batches?limit=1')).body;
    const progress = results[0]?.progress;
    if (!progress) return (await server.call('GET', `/tasks/${body.taskUid}`)).body.status === 'succeeded';
    t.same(Object.keys(progress), ['steps', 'percentage']);
    for (const { currentStep, finished, total } of progress.steps) {
      seen.add(currentStep);
      t.ok(finished >= 0 && finished <= total, `${currentStep}: ${finished} of ${total}`);
    }
    t.ok(progress.percentage >= highest && progress.percentage <= 100, `${highest} -> ${progress.percentage}`);
    highest = progress.percentage;
    return false;
  });
  t.ok(seen.has('processing tasks'));
  t.ok(seen.size >= 2, [...seen].join(', '));
});
