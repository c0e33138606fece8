import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import t from 'tap';
import { seededRandom } from '../../../bindings/test/random.js';
import { finished, request } from '../server.js';
import { buildRecorder, recorderEnvironment } from '../support/disk/recorder.js';
import { faultOf, send, someWrite, type Write } from '../support/disk/workload.js';
import { testFolder } from '../support/folders.js';
import { kill, launchProcess } from '../support/process.js';

/**
 * One system call fails per run, a different one each time: opening, writing, syncing, renaming, removing. The process may
 * refuse the operation, and a start may fail; but a running process must not end, and nothing acknowledged may be lost.
 */
const WRITES = 12;
/** A run of this many writes makes about this many system calls. */
const CALLS = 220;
/** `FAULTS=all`: every call in turn; `FAULTS=all FIRST=38`: those from one on. */
const FIRST = Number(process.env.FIRST ?? 1);
const FAULTS = process.env.FAULTS === 'all' ? CALLS : Number(process.env.FAULTS ?? 3);
const { EIO, ENOSPC, EMFILE, EROFS } = os.constants.errno;
const HALF_A_WRITE = 0;
const ERRORS = [EIO, ENOSPC, HALF_A_WRITE, EMFILE, EROFS];
const REFUSALS = ['io_error', 'no_space_left_on_device', 'too_many_open_files'];

const seed = Number(process.env.SEED ?? Date.now() % 2 ** 31);

t.test('a failing system call neither ends the process nor loses acknowledged writes', async (t) => {
  t.comment(`seed ${seed}`);
  const random = seededRandom(seed);
  const folder = testFolder(t);
  const library = buildRecorder(t, folder);
  if (library === null) return;
  let refused = 0;
  for (let i = FIRST - 1; i < FAULTS; i++) {
    const at = FAULTS === CALLS ? i + 1 : 1 + Math.floor((CALLS * (i + 1)) / (FAULTS + 1)) + random.int(8);
    const errno = ERRORS[(i + seed) % ERRORS.length]!;
    const what = `call ${at} fails with ${errno}`;
    const database = path.join(folder, `db${i}`);
    const env = recorderEnvironment(library, database, { FAULT_AT: `${at}`, FAULT_ERRNO: `${errno}` });
    let { child, url } = launchProcess({ folder: database, env }, '--log-level', 'OFF');
    t.teardown(() => kill(child));
    const writes = new Map<number, Write>();
    const starts = await url.catch(() => null);
    for (let sent = 0; starts !== null && sent < WRITES; sent++) {
      const write = someWrite(random);
      const { status, body } = await send(write, (...call) => request(starts, ...call));
      if (status === 202 || status === 200) writes.set(body.taskUid, write);
      else if (REFUSALS.includes(body.code)) refused++;
      else t.fail(`${what}: ${write.kind}: ${status} ${JSON.stringify(body)}`);
    }
    if (starts !== null) {
      for (const uid of writes.keys()) {
        const task = await finished(starts, uid);
        if (REFUSALS.includes(task.error?.code)) refused++;
      }
      t.equal((await request(starts, 'GET', '/health')).status, 200, `${what}: the process lives`);
    }
    t.equal(child.signalCode, null, `${what}: no signal has ended it`);
    await kill(child);
    ({ child, url } = launchProcess(database));
    const again = await url;
    const fault = await faultOf((...call) => request(again, ...call), writes, [...writes.keys()], REFUSALS);
    t.equal(fault, null, `${what}: the database`);
    await kill(child);
    fs.rmSync(database, { recursive: true });
  }
  t.comment(`${FAULTS - FIRST + 1} faults, ${refused} writes refused`);
});
