import fs from 'node:fs';
import path from 'node:path';
import t, { type Test } from 'tap';
import { IndexLock } from '../../tasks/scheduler/index-lock.js';
import { Stopped } from '../../tasks/scheduler/stop.js';
import { startServer, type TestServer } from '../server.js';
import { testFolder } from '../support/folders.js';
import { restEmbedder, startModel, type TestModel } from '../support/model.js';
import { until } from '../support/until.js';

const status = async (server: TestServer, uid: number) => (await server.call('GET', `/tasks/${uid}`)).body.status;

async function enqueued(server: TestServer, method: string, route: string, body?: unknown): Promise<number> {
  return (await server.call(method, route, body)).body.taskUid;
}

const titles = (count: number, word: string) => Array.from({ length: count }, (_, id) => ({ id, title: `${word} ${id}` }));

/** An addition whose texts have been sent to the model, which answers after `release` is called. */
async function embeddingAddition(server: TestServer, model: TestModel, index: string, count = 5) {
  const release = model.hold();
  const before = model.requests;
  const uid = await enqueued(server, 'POST', `/indexes/${index}/documents`, titles(count, index));
  await until('the model is asked', () => model.requests > before);
  return { uid, release };
}

async function start(t: Test, ...flags: string[]) {
  const model = await startModel(t);
  const server = await startServer(...flags);
  t.teardown(() => server.close());
  for (const index of ['a', 'e']) {
    await server.task('PATCH', `/indexes/${index}/settings/embedders`, { m: restEmbedder(model, { dimensions: 8 }) });
  }
  return { model, server };
}

t.test('tasks of other indexes run while texts of one are embedded', async (t) => {
  const dumps = testFolder(t);
  const { model, server } = await start(t, '--dump-dir', dumps);
  const { uid, release } = await embeddingAddition(server, model, 'a');
  t.equal((await server.task('POST', '/indexes/b/documents', [{ id: 1 }])).status, 'succeeded');
  t.equal((await server.task('PATCH', '/indexes/b/settings', { filterableAttributes: ['id'] })).status, 'succeeded');
  t.equal((await server.task('POST', '/dumps')).status, 'succeeded');

  const swap = await enqueued(server, 'POST', '/swap-indexes', [{ indexes: ['a', 'b'] }]);
  const later = [
    await enqueued(server, 'POST', '/indexes/a/documents', [{ id: 100, title: 'later' }]),
    await enqueued(server, 'POST', '/indexes/b/documents', [{ id: 100, title: 'later' }]),
  ];
  t.equal((await server.task('POST', '/indexes/c/documents', [{ id: 1 }])).status, 'succeeded');
  for (const each of [swap, ...later])
    t.equal(await status(server, each), 'enqueued', 'what touches the index waits in its order');

  const second = await embeddingAddition(server, model, 'e');
  const { body } = await server.call('GET', '/batches?statuses=processing');
  t.same(
    body.results.map(({ stats }: { stats: { indexUids: object } }) => Object.keys(stats.indexUids)),
    [['e'], ['a']],
    'several batches are under way',
  );
  t.match(body.results[1], { stats: { status: { processing: 1 } } });
  t.match(body.results[1].progress.steps.at(-1), { currentStep: 'embedding texts', finished: 0, total: 5 });
  t.equal(await status(server, uid), 'processing');
  const indexing = async (index: string) => (await server.call('GET', `/indexes/${index}/stats`)).body.isIndexing;
  t.same([await indexing('a'), await indexing('b')], [true, false]);

  release();
  second.release();
  const ended = [uid, second.uid, swap, ...later];
  for (const each of ended) t.equal((await server.finished(each)).status, 'succeeded');
  const total = async (index: string) => (await server.call('GET', `/indexes/${index}/documents`)).body.total;
  t.same([await total('a'), await total('b'), await total('e')], [2, 6, 5], 'the swap came after the addition');
  const uids = (await server.call('GET', '/batches?limit=1000')).body.results.map(({ uid }: { uid: number }) => uid);
  t.same(
    uids,
    uids.map((_: number, place: number) => uids.length - 1 - place),
    'each batch has a number of its own',
  );
});

t.test('a batch whose texts are being embedded can be canceled at once', async (t) => {
  const { model, server } = await start(t);
  const files = () => fs.readdirSync(path.join(server.folder, 'payloads'));
  const { uid, release } = await embeddingAddition(server, model, 'a');
  const [running] = (await server.call('GET', '/batches?statuses=processing')).body.results;
  const cancelation = await server.task('POST', `/tasks/cancel?uids=${uid}`);
  t.match(cancelation, { status: 'succeeded', details: { canceledTasks: 1 }, batchUid: running.uid });
  t.match(await server.finished(uid), { status: 'canceled', canceledBy: cancelation.uid });
  release();
  t.equal((await server.task('POST', '/indexes/a/documents', [{ id: 7, title: 'another' }])).status, 'succeeded');
  t.equal((await server.call('GET', '/indexes/a/stats')).body.numberOfDocuments, 1);
  await until('what it wrote is gone', () => files().length === 0);
});

t.test('embedding interrupted by a shutdown is resumed', async (t) => {
  const { model, server } = await start(t);
  const { uid, release } = await embeddingAddition(server, model, 'a');
  await server.task('POST', '/indexes/b/documents', [{ id: 1 }]);
  await server.restart();
  release();
  t.match(await server.finished(uid), { status: 'succeeded', details: { indexedDocuments: 5 } });
  t.equal((await server.call('GET', '/indexes/a/stats')).body.numberOfEmbeddings, 5);
});

t.test('the progress has the remaining time of the embedding', async (t) => {
  const { model, server } = await start(t);
  const release = model.hold();
  model.fault = (_, request) => {
    if (request === 20) model.hold();
    return null;
  };
  const uid = await enqueued(server, 'POST', '/indexes/a/documents', titles(1000, 'x'));
  const look = async () => (await server.call('GET', '/batches?statuses=processing')).body.results[0]?.progress;
  await until('the model is asked', () => model.requests > 0);
  t.notOk((await look()).timeLeft);
  release();
  const told = await until('some are done', async () => {
    const progress = await look();
    return progress?.timeLeft !== undefined && progress;
  });
  t.match(told.timeLeft, /^PT[\d.]+S$/);
  t.match(told.steps.at(-1), { currentStep: 'embedding texts', total: 1000 });
  await server.task('POST', `/tasks/cancel?uids=${uid}`);
});

t.test('a merge while texts are embedded does not change the result', async (t) => {
  const { model, server } = await start(t);
  for (let id = 0; id < 4; id++) await server.task('POST', '/indexes/a/documents', [{ id, title: `old ${id}` }]);
  const release = model.hold();
  const before = model.requests;
  const settings = await enqueued(server, 'PATCH', '/indexes/a/settings/embedders', {
    m: { documentTemplate: 'x{{doc.title}}' },
  });
  await until('the model is asked', () => model.requests > before);
  t.equal((await server.task('POST', '/indexes/a/compact')).status, 'succeeded', 'it changes no document');
  release();
  t.equal((await server.finished(settings)).status, 'succeeded');
  t.match((await server.call('GET', '/indexes/a/stats')).body, { numberOfDocuments: 4, numberOfEmbeddings: 4 });
  const addition = await embeddingAddition(server, model, 'a', 3);
  t.equal((await server.task('POST', '/indexes/a/compact')).status, 'succeeded');
  addition.release();
  t.match(await server.finished(addition.uid), { status: 'succeeded' });
  t.match((await server.call('GET', '/indexes/a/stats')).body, { numberOfDocuments: 4, numberOfEmbeddings: 4 });
});

t.test('one batch at a time has the lock of the indexes, in order', async (t) => {
  const lock = new IndexLock();
  const order: string[] = [];
  const first = await lock.acquire();
  const others = ['b', 'c'].map(async (name) => {
    const handle = await lock.acquire();
    order.push(name);
    return handle;
  });
  let over: () => void = () => {};
  const work = new Promise<void>((resolve) => {
    over = resolve;
  });
  const back = first.unlocked(() => work).then(() => order.push('a'));
  const b = await others[0]!;
  t.same(order, ['b'], 'one at a time');
  over();
  await work;
  b.release();
  const c = await others[1]!;
  c.release();
  await back;
  t.same(order, ['b', 'c', 'a'], 'in the order in which they came');
  await t.rejects(
    first.unlocked(async () => Promise.reject(new Error('its own'))),
    /its own/,
  );

  const waiting = first.unlocked(async () => {});
  const d = await lock.acquire();
  await null;
  first.release();
  await t.rejects(waiting, { constructor: Stopped } as never);
  await t.rejects(
    first.unlocked(async () => t.fail('it is released')),
    { constructor: Stopped } as never,
  );
  d.release();
  (await lock.acquire()).release();
});
