import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import t, { type Test } from 'tap';
import { Ledger } from '../../storage/ledger.js';
import type { LedgerWritesReport } from '../support/disk/ledger-writes.js';
import { buildRecorder, recorderEnvironment } from '../support/disk/recorder.js';
import { testFolder } from '../support/folders.js';

/** The program `ledger-writes` makes about this many system calls on an empty folder, and this many of them before its first write. */
const CALLS = 75;
const OPENING_CALLS = 40;
/** Opening a ledger that exists takes fewer than this many calls, those that read included, and fewer than this many without them. */
const REOPENING_CALLS = 70;
const AGAIN_CALLS = 50;
const { EIO, ENOSPC, EMFILE } = os.constants.errno;
const ERRORS = [EIO, ENOSPC, EMFILE];

/** Runs a program of `support/disk` on a folder while calls fail. @returns its output; null: it failed */
function run(program: string, folder: string, library: string, faults: Record<string, string>): string | null {
  const script = fileURLToPath(new URL(`../support/disk/${program}.js`, import.meta.url));
  const { status, stdout } = spawnSync(process.execPath, [script, folder], {
    env: { ...process.env, ...recorderEnvironment(library, path.dirname(folder), faults) },
    stdio: ['ignore', 'pipe', 'ignore'],
    encoding: 'utf8',
  });
  return status === 0 ? stdout : null;
}

/** Compares what `ledger-writes` has reported with a ledger. */
async function compare(t: Test, folder: string, output: string, what: string): Promise<void> {
  const { partly, succeeded } = JSON.parse(output) as LedgerWritesReport;
  t.same(partly, [], `${what}: no write is partly applied`);
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
  for (let at = OPENING_CALLS; at <= CALLS; at++) {
    const errno = ERRORS[at % ERRORS.length]!;
    const output = run('ledger-writes', path.join(folder, `run${at}`, 'ledger'), library, {
      FAULT_AT: `${at}`,
      FAULT_ERRNO: `${errno}`,
    });
    // a ledger that cannot be opened, or closed, is an error of its own
    if (output === null) continue;
    whole++;
    await compare(t, path.join(folder, `run${at}`, 'ledger'), output, `call ${at} fails with ${errno}`);
  }
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
  for (let at = 1; at <= REOPENING_CALLS; at++) {
    const errno = ERRORS[at % ERRORS.length]!;
    const copy = path.join(folder, `run${at}`);
    fs.cpSync(original, copy, { recursive: true });
    const faults = { FAULT_READS: '1', FAULT_AT: `${at}`, FAULT_ERRNO: `${errno}` };
    if (run('ledger-opening', path.join(copy, 'ledger'), library, faults) === null) refused++;
    const again = await Ledger.open(path.join(copy, 'ledger'));
    for (const key of ['a', 'b', 'c']) {
      t.equal((await again.get(key))?.toString(), key, `call ${at} fails with ${errno}: ${key} is there`);
    }
    await again.close();
    t.same(fs.readdirSync(copy).sort(), ['ledger', 'ledger.mark'], 'nothing else is left');
  }
  t.ok(refused > 0, `${refused} of ${REOPENING_CALLS} openings failed`);
});

t.test('a call that fails while a ledger is opened again after a failed write loses nothing', async (t) => {
  const folder = testFolder(t);
  const library = buildRecorder(t, folder);
  if (library === null) return;
  const at = (OPENING_CALLS + CALLS) >> 1;
  for (let again = at + 1; again < at + AGAIN_CALLS; again++) {
    const faults = { FAULT_AT: `${at}`, FAULT_AGAIN_AT: `${again}`, FAULT_ERRNO: `${EMFILE}` };
    const ledger = path.join(folder, `run${again}`, 'ledger');
    const output = run('ledger-writes', ledger, library, faults);
    if (output === null) t.fail(`calls ${at} and ${again} fail: the program fails`);
    else await compare(t, ledger, output, `calls ${at} and ${again} fail`);
  }
});
