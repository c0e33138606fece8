import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import t from 'tap';
import { seededRandom } from '../../../bindings/test/random.js';
import { finished, request } from '../server.js';
import { buildRecorder, recorderEnvironment } from '../support/disk/recorder.js';
import { testFolder } from '../support/folders.js';
import { kill, launchProcess } from '../support/process.js';

/**
 * One system call fails while a dump and a snapshot are written. The task may fail, with an error of the disk; what is delivered must be a
 * whole database, and nothing else may be left.
 */
const FAULTS = Number(process.env.FAULTS ?? 3);
/** A start, a dump and a snapshot make about this many system calls, the first ones at the start. */
const FIRST_CALL = 30;
const CALLS = 130;
const { EIO, ENOSPC, EMFILE, EROFS } = os.constants.errno;
const ERRORS = [EIO, ENOSPC, EMFILE, EROFS];
const REFUSALS = ['io_error', 'no_space_left_on_device', 'too_many_open_files'];
const DOCUMENTS = Array.from({ length: 300 }, (_, id) => ({ id, text: `common word${id % 7}` }));

const seed = Number(process.env.SEED ?? Date.now() % 2 ** 31);

t.test('a failing system call during a dump or a snapshot leaves whole files or none', async (t) => {
  t.comment(`seed ${seed}`);
  const random = seededRandom(seed);
  const folder = testFolder(t);
  const library = buildRecorder(t, folder);
  if (library === null) return;
  const original = path.join(folder, 'original');
  const first = launchProcess(original);
  const { body } = await request(await first.url, 'POST', '/indexes/a/documents', DOCUMENTS);
  t.equal((await finished(await first.url, body.taskUid)).status, 'succeeded');
  await kill(first.child);

  let failed = 0;
  for (let i = 0; i < FAULTS; i++) {
    const at = FIRST_CALL + Math.floor(((CALLS - FIRST_CALL) * (i + random.int(1000) / 1000)) / FAULTS);
    const errno = random.pick(ERRORS);
    const what = `call ${at} fails with ${errno}`;
    const run = path.join(folder, `run${i}`);
    const database = path.join(run, 'database');
    const output = path.join(run, 'output');
    fs.cpSync(original, database, { recursive: true });
    const env = recorderEnvironment(library, run, { FAULT_AT: `${at}`, FAULT_ERRNO: `${errno}` });
    const folders = ['--dump-dir', output, '--snapshot-dir', output];
    const { child, url } = launchProcess({ folder: database, env }, '--log-level', 'OFF', ...folders);
    t.teardown(() => kill(child));
    const starts = await url.catch(() => null);
    for (const route of starts === null ? [] : ['/dumps', '/snapshots']) {
      const { status, body } = await request(starts!, 'POST', route);
      const code = status === 202 ? (await finished(starts!, body.taskUid)).error?.code : body.code;
      if (code === undefined) continue;
      failed++;
      t.ok(REFUSALS.includes(code), `${what}: ${route}: ${code}`);
    }
    t.equal(child.signalCode, null, `${what}: no signal has ended the process`);
    await kill(child);

    const again = launchProcess(database);
    t.equal(await found(await again.url), DOCUMENTS.length, `${what}: the database is whole`);
    t.same(namesIn(path.join(database, 'staging')), [], `${what}: nothing is left in the staging folder`);
    await kill(again.child);
    for (const file of namesIn(output)) {
      const option = /\.(dump|snapshot)$/.exec(file)?.[1];
      if (option === undefined) {
        t.fail(`${what}: ${file} is left`);
        continue;
      }
      const imported = launchProcess(path.join(run, `from-${option}`), `--import-${option}`, path.join(output, file));
      t.equal(await found(await imported.url), DOCUMENTS.length, `${what}: ${file} is whole`);
      await kill(imported.child);
    }
    fs.rmSync(run, { recursive: true });
  }
  t.comment(`${FAULTS} faults, ${failed} tasks failed`);
});

/** Empty if there is no such folder. */
function namesIn(folder: string): string[] {
  return fs.existsSync(folder) ? fs.readdirSync(folder) : [];
}

async function found(url: string): Promise<number> {
  const { body } = await request(url, 'POST', '/indexes/a/search', { q: 'common', hitsPerPage: 1 });
  return body.totalHits;
}
