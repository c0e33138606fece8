import { execFile } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import t, { type Test } from 'tap';
import { Ledger } from '../../storage/ledger/ledger.js';
import type { LedgerWritesReport } from '../support/disk/ledger-writes.js';
import { buildRecorder, recorderEnvironment } from '../support/disk/recorder.js';
import { testFolder } from '../support/folders.js';

/** The program `ledger-writes` makes about this many system calls on an empty folder, and this many of them before its first write. */
const CALLS = 75;
const OPENING_CALLS = 40;
/** Opening a ledger that exists takes fewer than this many calls, those that read included, and fewer than this many without them. */
const REOPENING_CALLS = 70;
const AGAIN_CALLS = 65;
const { EIO, ENOSPC, EMFILE } = os.constants.errno;
const ERRORS = [EIO, ENOSPC, EMFILE];

/** Most of the time they wait for the next attempt to open the ledger. */
const PROGRAMS_AT_ONCE = 4;

/** Runs a job with each number from one to another. */
async function each(first: number, last: number, job: (at: number) => Promise<void>): Promise<void> {
  const run = async (lane: number) => {
    for (let at = first + lane; at <= last; at += PROGRAMS_AT_ONCE) await job(at);
  };
  await Promise.all(Array.from({ length: PROGRAMS_AT_ONCE }, (_, lane) => run(lane)));
}

/** Runs a program of `support/disk` on a folder while calls fail. @returns its output; null: it failed */
function run(program: string, folder: string, library: string, faults: Record<string, string>): Promise<string | null> {
  const script = fileURLToPath(new URL(`../support/disk/${program}.js`, import.meta.url));
  const env = { ...process.env, ...recorderEnvironment(library, path.dirname(folder), faults) };
  return new Promise((resolve) => {
    execFile(process.execPath, [script, folder], { env }, (error, stdout) => resolve(error ? null : stdout));
  });
}

/** Compares what `ledger-writes` has reported with a ledger. */
async function compare(t: Test, folder: string, output: string, what: string): Promise<void> {
  const { partly, succeeded, writable } = JSON.parse(output) as LedgerWritesReport;
  t.same(partly, [], `${what}: no write is partly applied`);
  t.ok(writable, `${what}: the ledger can be written again`);
  const ledger = await Ledger.open(folder);
  const found = await Promise.all(succeeded.map(async (key) => (await ledger.get(key)) !== null));
  t.ok(
    found.every((each) => each),
    `${what}: the ${succeeded.length} writes that succeeded are there`,
  );
  await ledger.close();
}

t.test('a write to the ledger that fails among others is applied wholly or not at all', async (t) => {
  const folder = testFolder(t);
  const library = buildRecorder(t, folder);
  if (library === null) return;
  let whole = 0;
  await each(OPENING_CALLS, CALLS, async (at) => {
    const errno = ERRORS[at % ERRORS.length]!;
    const output = await run('ledger-writes', path.join(folder, `run${at}`, 'ledger'), library, {
      FAULT_AT: `${at}`,
      FAULT_ERRNO: `${errno}`,
    });
    // a ledger that cannot be opened, or closed, is an error of its own
    if (output === null) return;
    whole++;
    await compare(t, path.join(folder, `run${at}`, 'ledger'), output, `call ${at} fails with ${errno}`);
  });
  t.ok(whole > (CALLS - OPENING_CALLS) / 2, `${whole} ledgers could be opened, written and closed`);
});

t.test('a call that fails while a ledger is opened loses nothing', async (t) => {
  const folder = testFolder(t);
  const library = buildRecorder(t, folder);
  if (library === null) return;
  const original = path.join(folder, 'original');
  const ledger = await Ledger.open(path.join(original, 'ledger'));
  for (const key of ['a', 'b', 'c']) await ledger.write([{ type: 'put', key, value: Buffer.from(key) }], true);
  await ledger.close();
  let refused = 0;
  await each(1, REOPENING_CALLS, async (at) => {
    const errno = ERRORS[at % ERRORS.length]!;
    const copy = path.join(folder, `run${at}`);
    fs.cpSync(original, copy, { recursive: true });
    const faults = { FAULT_READS: '1', FAULT_AT: `${at}`, FAULT_ERRNO: `${errno}` };
    if ((await run('ledger-opening', path.join(copy, 'ledger'), library, faults)) === null) refused++;
    const again = await Ledger.open(path.join(copy, 'ledger'));
    for (const key of ['a', 'b', 'c']) {
      t.equal((await again.get(key))?.toString(), key, `call ${at} fails with ${errno}: ${key} is there`);
    }
    await again.close();
    t.same(fs.readdirSync(copy).sort(), ['ledger', 'ledger.mark'], 'nothing else is left');
  });
  t.ok(refused > 0, `${refused} of ${REOPENING_CALLS} openings failed`);
});

t.test('a call that fails while a ledger is opened again after a failed write loses nothing', async (t) => {
  const folder = testFolder(t);
  const library = buildRecorder(t, folder);
  if (library === null) return;
  const at = (OPENING_CALLS + CALLS) >> 1;
  await each(at + 1, at + AGAIN_CALLS, async (again) => {
    const faults = { FAULT_AT: `${at}`, FAULT_AGAIN_AT: `${again}`, FAULT_ERRNO: `${EMFILE}` };
    const ledger = path.join(folder, `run${again}`, 'ledger');
    const output = await run('ledger-writes', ledger, library, faults);
    if (output === null) t.fail(`calls ${at} and ${again} fail: the program fails`);
    else await compare(t, ledger, output, `calls ${at} and ${again} fail`);
  });
});
