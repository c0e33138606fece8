import fs from 'node:fs';
import path from 'node:path';
import t from 'tap';
import { startServer } from '../server.js';
import { onlyFile, testFolder } from '../support/folders.js';
import { until } from '../support/until.js';

const FROZEN = ['--experimental-max-number-of-batched-tasks', '0'];

t.test('a snapshot restores the database', async (t) => {
  const snapshots = testFolder(t);
  const source = await startServer('--snapshot-dir', snapshots);
  t.teardown(() => source.close());
  await source.task('PATCH', '/indexes/a/settings', { filterableAttributes: ['n'], sortableAttributes: ['n'] });
  await source.task(
    'POST',
    '/indexes/a/documents',
    Array.from({ length: 300 }, (_, id) => ({ id, n: id % 7, text: `word${id % 10} and more` })),
  );
  await source.task('POST', '/indexes/a/documents/delete', { filter: 'n = 3' });
  await source.restart('--snapshot-dir', snapshots, ...FROZEN);
  const { body: waiting } = await source.call('POST', '/indexes/a/documents', [{ id: 1000, n: 1, text: 'late' }]);
  const search = { q: 'word3', filter: 'n > 1', sort: ['n:asc'], limit: 300, showRankingScore: true };
  const hitsOf = async ({ call }: typeof source) => (await call('POST', '/indexes/a/search', search)).body.hits;
  const tasksOf = async ({ call }: typeof source) => (await call('GET', '/tasks?limit=100&types=documentAdditionOrUpdate')).body;
  const before = { hits: await hitsOf(source), tasks: await tasksOf(source) };
  t.ok(before.hits.length > 5);

  const first = await source.call('POST', '/snapshots', { ignored: true });
  const second = await source.call('POST', '/snapshots?ignored');
  const tasks = [await source.finished(first.body.taskUid), await source.finished(second.body.taskUid)];
  for (const task of tasks) t.match(task, { status: 'succeeded', type: 'snapshotCreation', indexUid: null, error: null });
  t.notOk('details' in tasks[0]);
  const file = onlyFile(snapshots, '.snapshot');
  t.equal(path.basename(file), `${path.basename(source.folder)}.snapshot`);
  t.equal(fs.statSync(file).mode & 0o777, 0o444);
  t.same(fs.readdirSync(path.join(source.folder, 'staging')), [], 'nothing is left behind');
  t.equal((await source.task('POST', '/snapshots')).status, 'succeeded', 'a snapshot replaces the one before it');

  const target = await startServer('--import-snapshot', file, ...FROZEN);
  t.teardown(() => target.close());
  t.same({ hits: await hitsOf(target), tasks: await tasksOf(target) }, before);
  const { body } = await target.call('GET', '/tasks?types=snapshotCreation');
  t.ok(body.total < 3, 'the snapshot does not hold its own task');
  t.same(
    body.results.filter(({ status }: { status: string }) => status === 'enqueued'),
    [],
  );
  await target.restart();
  t.equal((await target.finished(waiting.taskUid)).status, 'succeeded', 'what waited goes on');
  t.equal((await target.call('GET', '/indexes/a/documents/1000')).body.text, 'late');
});

t.test('snapshots are created on schedule', async (t) => {
  const snapshots = testFolder(t);
  const server = await startServer('--snapshot-dir', snapshots, '--schedule-snapshot=1');
  t.teardown(() => server.close());
  await until('a snapshot is made', () => fs.readdirSync(snapshots).some((name) => name.endsWith('.snapshot')));
  t.match(await server.finished(0), { type: 'snapshotCreation', status: 'succeeded' });
});
