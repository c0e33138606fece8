import fs from 'node:fs';
import path from 'node:path';
import t, { type Test } from 'tap';
import { seededRandom } from '../../../bindings/test/random.js';
import { request, startServer } from '../server.js';
import { buildRecorder, recorderEnvironment } from '../support/disk/recorder.js';
import {
  acknowledge,
  CRASHES,
  type Crash,
  crashState,
  type DiskOperation,
  readRecord,
  writeState,
} from '../support/disk/replay.js';
import { faultOf, send, someWrite, type Write } from '../support/disk/workload.js';
import { testFolder } from '../support/folders.js';
import { launchProcess } from '../support/process.js';

/**
 * A real run is recorded at the C library: writes, syncs, changes of names, and the answers that clients had received. From this
 * follow the states that a power cut could have left. Each is opened: what was acknowledged must be there, and each index the result
 * of the tasks that have ended. A kill cannot show this, because the system still writes its buffers to disk.
 */
const CUTS = Number(process.env.CUTS ?? 20);
const WRITES = 150;
const AT_ONCE = 3;
/** After every fifth cut the waiting tasks run to their end. */
const GO_ON = 5;
/** Most cuts that are tried until a missing sync is detected. */
const MAX_ATTEMPTS = 25;

const seed = Number(process.env.SEED ?? Date.now() % 2 ** 31);

interface Run {
  root: string;
  operations: DiskOperation[];
  writes: Map<number, Write>;
}

async function record(t: Test): Promise<Run | null> {
  const folder = testFolder(t);
  const library = buildRecorder(t, folder);
  if (library === null) return null;
  const random = seededRandom(seed);
  const [root, file] = [path.join(folder, 'disk'), path.join(folder, 'record')];
  fs.mkdirSync(root);
  const writes = new Map<number, Write>();
  const env = recorderEnvironment(library, root, { RECORD_FILE: file });
  // The second run records a start with existing data.
  for (let life = 0; life < 2; life++) {
    const { child, url } = launchProcess({ folder: path.join(root, 'db'), env });
    t.teardown(() => child.kill('SIGKILL'));
    const listening = await url;
    const client = async () => {
      for (let i = 0; i < WRITES / 2 / AT_ONCE; i++) {
        const write = someWrite(random);
        const { status, body } = await send(write, (...call) => request(listening, ...call));
        if (status !== 202 && status !== 200) throw new Error(`${write.kind}: ${status} ${JSON.stringify(body)}`);
        acknowledge(file, String(body.taskUid));
        writes.set(body.taskUid, write);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, client));
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGTERM');
    await ended;
  }
  const operations = readRecord(file).filter(({ path: name }) => !name.endsWith('.reserve'));
  t.comment(
    `seed ${seed}: ${operations.length} operations, ${operations.filter(({ kind }) => kind === 'sync').length} of them syncs`,
  );
  return { root, operations, writes };
}

/** Opens the files that a cut leaves. @returns the fault, or null */
async function faultAfter({ root, operations, writes }: Run, cut: number, crash: Crash, goOn: boolean): Promise<string | null> {
  const before = operations.slice(0, cut);
  const acknowledged = before.flatMap(({ kind, path: uid }) => (kind === 'acknowledged' ? [Number(uid)] : []));
  const target = fs.mkdtempSync(path.join(path.dirname(root), 'state-'));
  try {
    writeState(crashState(before, root, crash, seededRandom(seed + cut)), root, target);
    const server = await startServer('--db-path', path.join(target, 'db'), '--experimental-max-number-of-batched-tasks', '0');
    try {
      const fault = await faultOf(server.call, writes, acknowledged);
      if (fault || !goOn) return fault;
      await server.restart('--db-path', path.join(target, 'db'));
      const { body } = await server.call('GET', '/tasks?statuses=enqueued,processing&limit=100000');
      for (const { uid } of body.results) await server.finished(uid);
      const after = await faultOf(server.call, writes, acknowledged);
      return after && `when its tasks have run: ${after}`;
    } finally {
      await server.close();
    }
  } catch (error) {
    return `it does not open: ${(error as Error).message}`;
  } finally {
    fs.rmSync(target, { recursive: true, force: true });
  }
}

t.test('after a power cut all acknowledged writes are there, and no partial ones', async (t) => {
  const run = await record(t);
  if (run === null) return;
  const random = seededRandom(seed);
  let faults = 0;
  for (let i = 0; i < CUTS; i++) {
    const cut = random.int(run.operations.length + 1);
    const crash = CRASHES[i % CRASHES.length]!;
    const fault = await faultAfter(run, cut, crash, i % GO_ON === 0);
    if (fault === null) continue;
    faults++;
    t.fail(`cut after ${cut} operations, ${crash}: ${fault}`);
  }
  t.equal(faults, 0, `${CUTS} cuts`);

  const neglected: [what: string, which: RegExp][] = [
    ['the log of the ledger', /ledger\/\d+\.log$/],
    ['segments', /segments\/\d+\.seg$/],
    ['the names of segments', /segments$/],
    ['payloads', /\.payload$/],
    ['the names of payloads', /payloads$/],
  ];
  for (const [what, which] of neglected) {
    const isNeglected = ({ kind, path: name }: DiskOperation) => kind === 'sync' && which.test(name);
    const operations = run.operations.filter((operation) => !isNeglected(operation));
    t.ok(operations.length < run.operations.length, `${what}: there are syncs`);
    t.ok(await isFound({ ...run, operations }, answersAfter(run.operations, isNeglected)), `${what}: a missing sync is found`);
  }
});

/** The position of the next answer after operations of a kind, in the record without them. */
function answersAfter(operations: readonly DiskOperation[], isLeftOut: (operation: DiskOperation) => boolean): number[] {
  const cuts = new Set<number>();
  let [at, waits] = [0, false];
  for (const operation of operations) {
    if (isLeftOut(operation)) {
      waits = true;
      continue;
    }
    at++;
    if (operation.kind !== 'acknowledged' || !waits) continue;
    cuts.add(at);
    waits = false;
  }
  return [...cuts];
}

/** Whether one of these cuts, with the loss of all that was not synced, leaves a fault. */
async function isFound(run: Run, cuts: number[]): Promise<boolean> {
  const random = seededRandom(seed);
  for (let tries = 0; tries < MAX_ATTEMPTS && cuts.length > 0; tries++) {
    const [cut] = cuts.splice(random.int(cuts.length), 1);
    if (await faultAfter(run, cut!, 'lost', true)) return true;
  }
  return false;
}
