import path from 'node:path';
import { privateInstance } from '../../bindings/engine/instance.js';
import { compileEngine } from '../index/engine-module.js';
import { LaunchError } from '../options.js';
import { isLocked } from '../storage/errors.js';
import { Ledger } from '../storage/ledger.js';
import { checkVersion, holdsDatabase } from '../storage/version-file.js';
import { checkLedger } from '../transfer/launch.js';
import { checkDatabase } from './check.js';
import { repairDatabase } from './repair.js';

/** What a command prints, and whether the database is sound after it. */
export interface Outcome {
  report: string;
  sound: boolean;
}

/** Looks for damage; changes nothing. @throws {LaunchError} */
export function checkCommand(database: string): Promise<Outcome> {
  return withLedger(database, async (ledger, plain) => {
    const damage = await checkDatabase(database, ledger, privateInstance(plain));
    if (damage.length === 0) return { report: `The database \`${database}\` is sound.`, sound: true };
    return { report: damage.map(({ text }) => text).join('\n'), sound: false };
  });
}

/** Repairs what documents allow, and looks again. @throws {LaunchError} */
export function repairCommand(database: string): Promise<Outcome> {
  return withLedger(database, async (ledger, plain) => {
    const done = await repairDatabase(database, ledger, plain, await checkDatabase(database, ledger, privateInstance(plain)));
    const left = await checkDatabase(database, ledger, privateInstance(plain));
    const lines = [...done, ...left.map(({ text }) => `left as it is: ${text}`)];
    if (left.length === 0) lines.push(`The database \`${database}\` is sound.`);
    return { report: lines.join('\n'), sound: left.length === 0 };
  });
}

async function withLedger<T>(database: string, job: (ledger: Ledger, plain: WebAssembly.Module) => Promise<T>): Promise<T> {
  if (!(await holdsDatabase(database))) throw new LaunchError(`There is no database at \`${database}\`.`);
  await checkVersion(database, false);
  await checkLedger(database);
  const ledger = await Ledger.open(path.join(database, 'ledger')).catch((error: Error) => {
    const problem = isLocked(error) ? 'is open in another process' : 'has a ledger that cannot be opened: restore it from a copy';
    throw new LaunchError(`The database \`${database}\` ${problem} (${error.message}).`);
  });
  try {
    return await job(ledger, compileEngine('plain'));
  } finally {
    await ledger.close();
  }
}
