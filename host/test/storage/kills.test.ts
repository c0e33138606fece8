import fs from 'node:fs';
import path from 'node:path';
import t from 'tap';
import { seededRandom } from '../../../bindings/test/random.js';
import { type Answer, request } from '../server.js';
import { faultOf, send, someWrite, type Write } from '../support/disk/workload.js';
import { onlyFile, testFolder } from '../support/folders.js';
import { kill, launchProcess } from '../support/process.js';
import { startReceiver } from '../support/receiver.js';
import { until } from '../support/until.js';

/**
 * The process is killed repeatedly at random moments, also during starts, while clients send writes of every kind, and dumps
 * and snapshots are made. After each start the indexes must be the result of the tasks in the database.
 */
const KILLS = Number(process.env.KILLS ?? 12);
const CLIENTS = 3;
/**
 * The process is killed after up to this many further answers and milliseconds; every fifth time before or soon after it listens.
 */
const LIFE = { answers: 25, pause: 60, start: 600 };
/** After this many kills the tasks run to their end, and the database is compared with the model. */
const COMPARED = 5;

/** Tasks that change no document. */
const OTHERS: [method: string, route: string, body?: unknown][] = [
  ['POST', '/dumps'],
  ['POST', '/snapshots'],
  ['POST', '/indexes', { uid: 'd' }],
  ['PATCH', '/indexes/d', { primaryKey: 'key' }],
  ['DELETE', '/indexes/d'],
  ['POST', '/indexes/a/compact'],
  ['POST', '/tasks/cancel?types=dumpCreation,documentDeletion'],
];

const seed = Number(process.env.SEED ?? Date.now() % 2 ** 31);
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

const isSame = (a: readonly string[], b: readonly string[]) => a.join() === b.join();

/** Whether a task of the database is that of this write, whose answer was lost. */
function fits(task: Record<string, unknown>, write: Write): boolean {
  const details = task.details as Record<string, unknown>;
  switch (write.kind) {
    case 'swap':
      return task.type === 'indexSwap' && isSame((details.swaps as { indexes: string[] }[])[0]!.indexes, write.indexes);
    case 'deleteIndex':
      return task.type === 'indexDeletion' && task.indexUid === write.index;
    case 'settings':
      return (
        task.type === 'settingsUpdate' &&
        task.indexUid === write.index &&
        isSame(details.searchableAttributes as string[], write.searchable)
      );
    case 'forgetTasks':
      return task.type === 'taskDeletion';
    default:
      return false;
  }
}

/** Waits until all tasks have ended, as long as tasks make progress. */
async function drained(url: string): Promise<void> {
  const waiting = async (): Promise<number> =>
    (await request(url, 'GET', '/tasks?statuses=enqueued,processing&limit=0')).body.total;
  for (let left = await waiting(); left > 0; left = await waiting()) {
    await until(`one of ${left} tasks ends`, async () => (await waiting()) < left);
  }
}

t.test('no acknowledged write is lost when the process is killed at any moment', async (t) => {
  t.comment(`seed ${seed}`);
  const random = seededRandom(seed);
  const folder = testFolder(t);
  const [database, output] = [path.join(folder, 'db'), path.join(folder, 'output')];
  const receiver = await startReceiver();
  t.teardown(() => receiver.close());
  const flags = ['--dump-dir', output, '--snapshot-dir', output, '--task-webhook-url', receiver.url];
  const writes = new Map<number, Write>();
  const acknowledged: number[] = [];
  const others: number[] = [];
  /** Additions are identified by the number in their documents. */
  const numbered: Write[] = [];
  let unanswered: Write[] = [];
  let running = launchProcess(database, ...flags);
  t.teardown(() => kill(running.child));

  const client = async (url: string) => {
    for (;;) {
      const write = random.int(12) === 0 ? null : someWrite(random);
      if (write?.kind === 'forgetTasks') continue;
      const number = write ? numbered.push(write) - 1 : 0;
      const mark = (route: string) => `${route}${route.includes('?') ? '&' : '?'}customMetadata=${number}`;
      const takesMark = (route: string) => /documents/.test(route);
      const call = (method: string, route: string, body?: unknown) =>
        request(url, method, takesMark(route) ? mark(route) : route, body);
      let answer: Answer;
      try {
        answer = await (write ? send(write, call) : request(url, ...random.pick(OTHERS)));
      } catch {
        if (write) unanswered.push(write);
        return;
      }
      const { status, body } = answer;
      if (status !== 202 && status !== 200) {
        t.fail(`${write?.kind}: ${status} ${JSON.stringify(body)}`);
        return;
      }
      acknowledged.push(body.taskUid);
      if (write) writes.set(body.taskUid, write);
      else others.push(body.taskUid);
    }
  };

  /** Finds the tasks of writes whose answers were lost. */
  const adopt = async (url: string) => {
    const { body } = await request(url, 'GET', '/tasks?limit=100000');
    for (const task of body.results) {
      if (writes.has(task.uid) || others.includes(task.uid)) continue;
      const sent = task.customMetadata === undefined ? undefined : numbered[Number(task.customMetadata)];
      const found = sent ?? unanswered.find((write) => fits(task, write));
      if (found) writes.set(task.uid, found);
    }
    unanswered = [];
  };

  for (let round = 1; round <= KILLS; round++) {
    const clients: Promise<void>[] = [];
    if (random.int(5) > 0) {
      const url = await running.url;
      clients.push(...Array.from({ length: CLIENTS }, () => client(url)));
      const enough = acknowledged.length + random.int(LIFE.answers);
      await until('writes are answered', () => acknowledged.length >= enough);
      await pause(random.int(LIFE.pause));
    } else {
      await pause(random.int(LIFE.start));
    }
    await kill(running.child);
    await Promise.all(clients);
    running = launchProcess(database, ...flags);
    if (round % COMPARED !== 0 && round !== KILLS && unanswered.length < 2) continue;
    const url = await running.url;
    await adopt(url);
    if (round % COMPARED !== 0 && round !== KILLS) continue;
    await drained(url);
    const fault = await faultOf((...call) => request(url, ...call), writes, acknowledged);
    t.equal(fault, null, `the database after ${round} kills`);
  }

  t.comment(`${KILLS} kills, ${acknowledged.length} acknowledged tasks, ${writes.size} of them change documents or settings`);
  const url = await running.url;
  const { body } = await request(url, 'GET', '/tasks?limit=100000');
  t.equal(new Set(acknowledged).size, acknowledged.length, 'no uid is given twice');
  const broken = body.results.filter(({ status, error }: Record<string, { code: string }>) => {
    return (status as unknown as string) === 'failed' && ['internal', 'io_error'].includes(error!.code);
  });
  t.same(broken, [], 'no task failed for a fault of the service');
  const told = () => new Set(receiver.received.flatMap(({ tasks }) => tasks.map(({ uid }) => uid)));
  await until('all ends of tasks are announced', () => told().size >= body.results.length);
  await kill(running.child);

  if (fs.existsSync(output) && fs.readdirSync(output).some((name) => name.endsWith('.snapshot'))) {
    running = launchProcess(path.join(folder, 'restored'), '--import-snapshot', onlyFile(output, '.snapshot'));
    t.equal((await request(await running.url, 'GET', '/health')).status, 200, 'the snapshot opens');
  }
});
