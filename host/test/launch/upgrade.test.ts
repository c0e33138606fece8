import fs from 'node:fs';
import path from 'node:path';
import t, { type Test } from 'tap';
import { LaunchError } from '../../runtime/launch-error.js';
import { VERSION } from '../../version.js';
import { startServer, type TestServer } from '../server.js';
import { age } from '../support/age.js';
import { onlyFile, testFolder } from '../support/folders.js';

const OLDER = '0.0.9';
const DETAILS = { upgradeFrom: `v${OLDER}`, upgradeTo: `v${VERSION}` };

const versionFile = (server: TestServer) => path.join(server.folder, 'VERSION');
const versionOf = (server: TestServer) => fs.readFileSync(versionFile(server), 'utf8').trim();
const segmentsOf = (server: TestServer) =>
  fs.readdirSync(path.join(server.folder, 'segments')).map((name) => path.join(server.folder, 'segments', name));

/** Makes a database, stops the server and marks the database with an older version. */
async function olderDatabase(t: Test): Promise<TestServer> {
  const server = await startServer();
  await server.task('POST', '/indexes/a/documents', [{ id: 1, text: '图书馆' }]);
  await server.stop();
  fs.writeFileSync(versionFile(server), OLDER);
  for (const file of segmentsOf(server)) age(file);
  t.teardown(() => server.close());
  return server;
}

const upgrades = async (server: TestServer) => (await server.call('GET', '/tasks?types=upgradeDatabase')).body.results;

t.test('an older database is refused, or upgraded by a task', async (t) => {
  const server = await olderDatabase(t);
  await t.rejects(server.restart(), { constructor: LaunchError, message: /older version 0\.0\.9: launch with --upgrade-db/ });
  t.equal(versionOf(server), OLDER);
  const [old] = segmentsOf(server);

  await server.restart('--upgrade-db');
  t.equal(versionOf(server), VERSION);
  const [{ uid }] = await upgrades(server);
  const task = await server.finished(uid);
  t.match(task, { type: 'upgradeDatabase', status: 'succeeded', indexUid: null, details: DETAILS, error: null });
  const { body: batch } = await server.call('GET', `/batches/${task.batchUid}`);
  t.match(batch, { details: DETAILS, stats: { types: { upgradeDatabase: 1 } } });
  t.match(batch.batchStrategy, /cannot be batched with tasks of any other type/);
  t.ok(batch.stats.progressTrace['processing tasks > upgrading user indexes > Upgrading index `a`']);
  t.notOk(segmentsOf(server).includes(old!), 'its segments are built anew');
  t.equal((await server.call('POST', '/indexes/a/search', { q: '图书' })).body.hits.length, 1);

  await server.restart();
  await server.restart('--upgrade-db');
  t.equal((await upgrades(server)).length, 1, 'the same version needs no task');
});

t.test('the older name of the option works, and other major versions are refused', async (t) => {
  const server = await olderDatabase(t);
  await server.restart('--experimental-dumpless-upgrade');
  t.equal((await server.finished(1)).status, 'succeeded');
  await server.stop();
  for (const version of ['99.0.0', 'one', '']) {
    fs.writeFileSync(versionFile(server), version);
    await t.rejects(server.restart('--upgrade-db'), {
      constructor: LaunchError,
      message: /VERSION file that cannot be read|newer version/,
    });
  }
  fs.writeFileSync(versionFile(server), VERSION);
  await server.restart();
});

t.test('an earlier upgrade does not prevent a later one', async (t) => {
  const server = await olderDatabase(t);
  await server.restart('--upgrade-db');
  await server.finished(1);
  await server.stop();
  fs.writeFileSync(versionFile(server), OLDER);
  await server.restart('--upgrade-db');
  await server.finished(2);
  t.equal((await upgrades(server)).length, 2);
});

t.test('a failed upgrade stops the queue, is retried at the next start, and can be canceled', async (t) => {
  const server = await olderDatabase(t);
  const [file] = segmentsOf(server) as [string];
  const whole = fs.readFileSync(file);
  const damaged = Buffer.from(whole);
  damaged.fill(0xff, damaged.length - 40);
  fs.writeFileSync(file, damaged);

  await server.restart('--upgrade-db');
  const failed = await server.finished(1);
  t.match(failed, { type: 'upgradeDatabase', status: 'failed', details: DETAILS, batchUid: 1 });
  const { status, body: waiting } = await server.call('POST', '/indexes/b/documents', [{ id: 1 }]);
  t.equal(status, 202, 'tasks are taken');
  await server.restart();
  t.match(await server.finished(1), { status: 'failed', batchUid: 1 }, 'a launch tries again, in the same batch');
  t.equal((await server.call('GET', '/batches')).body.total, 2);
  t.match((await server.call('GET', `/tasks/${waiting.taskUid}`)).body, { status: 'enqueued' }, 'but do not run');

  const cancelation = await server.task('POST', '/tasks/cancel?uids=1');
  t.match(cancelation, { status: 'succeeded', details: { canceledTasks: 1 } });
  t.match(await server.finished(1), { status: 'canceled', canceledBy: cancelation.uid });
  t.equal(versionOf(server), OLDER, 'the older version can open it again');
  t.match((await server.call('GET', `/tasks/${waiting.taskUid}`)).body, { status: 'enqueued' });
  await t.rejects(server.restart(), { constructor: LaunchError, message: /--upgrade-db/ });

  fs.writeFileSync(file, whole);
  await server.restart('--upgrade-db');
  const [{ uid }] = await upgrades(server);
  t.ok(uid > cancelation.uid, 'a new task');
  t.match(await server.finished(uid), { status: 'succeeded' });
  t.match(await server.finished(waiting.taskUid), { status: 'succeeded' }, 'what waited goes on');
});

t.test('a failed upgrade succeeds when the cause of the failure is removed', async (t) => {
  const server = await olderDatabase(t);
  const [file] = segmentsOf(server) as [string];
  const whole = fs.readFileSync(file);
  fs.writeFileSync(file, Buffer.from(whole).fill(0xff, whole.length - 40));
  await server.restart('--upgrade-db');
  t.match(await server.finished(1), { status: 'failed', batchUid: 1 });
  await server.stop();
  fs.writeFileSync(file, whole);
  await server.restart();
  t.match(await server.finished(1), { status: 'succeeded', batchUid: 1, error: null });
  t.equal((await server.task('POST', '/indexes/a/documents', [{ id: 2 }])).batchUid, 2);
});

t.test('a snapshot of an older version can be imported', async (t) => {
  const folder = testFolder(t);
  const source = await startServer('--snapshot-dir', folder);
  await source.task('POST', '/indexes/a/documents', [{ id: 1 }]);
  fs.writeFileSync(versionFile(source), OLDER);
  await source.task('POST', '/snapshots');
  await source.close();
  const copy = await startServer('--import-snapshot', onlyFile(folder, '.snapshot'), '--upgrade-db');
  t.teardown(() => copy.close());
  const [{ uid }] = await upgrades(copy);
  t.match(await copy.finished(uid), { status: 'succeeded', details: DETAILS });
  t.equal((await copy.call('GET', '/indexes/a/documents/1')).status, 200);
});
