import t from 'tap';
import { Stopped, StopSignal } from '../../tasks/scheduler/stop.js';
import { startServer, type TestServer } from '../server.js';
import { until } from '../support/until.js';

/** NDJSON; many documents keep a batch busy for a while. */
function manyDocuments(count: number): string {
  const lines = Array.from({ length: count }, (_, id) => `{"id":${id},"text":"${`word${id} `.repeat(40)}"}`);
  return lines.join('\n');
}

async function startAddition(server: TestServer, count: number): Promise<number> {
  const { body } = await server.call('POST', '/indexes/i/documents', manyDocuments(count), {
    'content-type': 'application/x-ndjson',
  });
  const status = async () => (await server.call('GET', `/tasks/${body.taskUid}`)).body.status;
  await until('the addition runs', async () => (await status()) === 'processing');
  return body.taskUid;
}

t.test('a stop signal ends waiting work', async (t) => {
  const stop = new StopSignal();
  t.equal(await stop.guard(Promise.resolve(1), () => t.fail()), 1);
  let release: (value: string) => void = () => {};
  const late = new Promise<string>((resolve) => {
    release = resolve;
  });
  const abandoned: string[] = [];
  const guarded = stop.guard(late, (result) => abandoned.push(result));
  stop.request();
  await t.rejects(guarded, { constructor: Stopped } as never);
  release('late');
  await late;
  await null;
  t.same(abandoned, ['late']);
  t.throws(() => stop.check(), { constructor: Stopped } as never);
});

t.test('a batch that runs can be canceled', async (t) => {
  const server = await startServer();
  t.teardown(server.close);
  const taskUid = await startAddition(server, 20_000);
  const running = (await server.call('GET', '/batches?statuses=processing')).body.results[0];
  t.match(running, {
    duration: null,
    finishedAt: null,
    progress: { steps: [{ currentStep: 'processing tasks' }] },
    stats: { status: { processing: 1 } },
  });
  t.match((await server.call('GET', '/indexes/i/stats')).body, { isIndexing: true });
  const cancelation = await server.task('POST', `/tasks/cancel?uids=${taskUid}`);
  t.match(
    cancelation,
    { status: 'succeeded', details: { canceledTasks: 1 }, batchUid: running.uid },
    'the uid of the stopped batch is used again',
  );
  t.match(await server.finished(taskUid), { status: 'canceled', canceledBy: cancelation.uid, details: { indexedDocuments: 0 } });
  t.match(await server.task('POST', '/indexes/i/documents', [{ id: 7 }]), { status: 'succeeded' });
  t.match((await server.call('GET', '/indexes/i/stats')).body, { numberOfDocuments: 1 });
});

t.test('a batch interrupted by a shutdown runs again', async (t) => {
  const server = await startServer();
  t.teardown(server.close);
  const taskUid = await startAddition(server, 20_000);
  await server.restart();
  t.match(await server.finished(taskUid), { status: 'succeeded', error: null });
  t.match((await server.call('GET', '/indexes/i/stats')).body, { numberOfDocuments: 20_000 });
});
