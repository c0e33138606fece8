import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import t from 'tap';
import type { LedgerWritesReport } from '../support/disk/ledger-writes.js';
import { buildRecorder, recorderEnvironment } from '../support/disk/recorder.js';
import { testFolder } from '../support/folders.js';

/** The system calls of the ledger that fail, one in each run: from its first writes on. Those before belong to its opening. */
const FIRST = 40;
const LAST = 75;
const { EIO, ENOSPC, EMFILE } = os.constants.errno;
const ERRORS = [EIO, ENOSPC, EMFILE];
const WRITES = fileURLToPath(new URL('../support/disk/ledger-writes.js', import.meta.url));

t.test('a write to the ledger that fails among others is applied wholly or not at all', (t) => {
  const folder = testFolder(t);
  const library = buildRecorder(t, folder);
  if (library === null) return t.end();
  let whole = 0;
  for (let at = FIRST; at <= LAST; at++) {
    const errno = ERRORS[at % ERRORS.length]!;
    const database = path.join(folder, `ledger${at}`);
    const env = recorderEnvironment(library, database, { FAULT_AT: `${at}`, FAULT_ERRNO: `${errno}` });
    const { status, stdout } = spawnSync(process.execPath, [WRITES, database], {
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'ignore'],
      encoding: 'utf8',
    });
    // a ledger that cannot be opened, or closed, is an error of its own
    if (status !== 0) continue;
    whole++;
    t.same((JSON.parse(stdout) as LedgerWritesReport).partly, [], `call ${at} fails with ${errno}`);
    fs.rmSync(database, { recursive: true });
  }
  t.ok(whole > (LAST - FIRST) / 2, `${whole} ledgers could be opened, written and closed`);
  t.end();
});
