import fs from 'node:fs';
import path from 'node:path';
import { privateInstance } from '../../bindings/engine/instance.js';
import { INDEX_PREFIX, readRecord } from '../index/commits/state.js';
import { compilePlain } from '../index/engine-module.js';
import { LaunchError } from '../runtime/launch-error.js';
import { isLocked } from '../storage/errors.js';
import { Ledger } from '../storage/ledger/ledger.js';
import { LedgerLoss } from '../storage/ledger/write-mark.js';
import { checkVersion, holdsDatabase } from '../storage/version-file.js';
import { checkLedger } from '../transfer/launch.js';
import { checkDatabase } from './check.js';
import { moveDamaged, repairDatabase } from './repair.js';

/** The output of a command, and whether the database is sound afterwards. */
export interface Outcome {
  report: string;
  sound: boolean;
}

/** Reports damage without changing anything. @throws {LaunchError} */
export async function checkCommand(database: string): Promise<Outcome> {
  const { ledger, loss } = await openLedger(database, false);
  if (!ledger) return { report: `The database \`${database}\` is not whole: ${loss?.message}.`, sound: false };
  return closing(ledger, async () => {
    const damage = await checkDatabase(database, ledger, privateInstance(compilePlain()));
    if (damage.length === 0) return { report: `The database \`${database}\` is sound.`, sound: true };
    return { report: damage.map(({ text }) => text).join('\n'), sound: false };
  });
}

/** Repairs what can be rebuilt from documents, then checks again. @throws {LaunchError} */
export async function repairCommand(database: string): Promise<Outcome> {
  const { ledger, loss } = await openLedger(database, true);
  return closing(ledger!, async () => {
    const plain = compilePlain();
    const lines = loss ? [await adopt(database, ledger!, loss)] : [];
    lines.push(
      ...(await repairDatabase(database, ledger!, plain, await checkDatabase(database, ledger!, privateInstance(plain)))),
    );
    const left = await checkDatabase(database, ledger!, privateInstance(plain));
    lines.push(...left.map(({ text }) => `left as it is: ${text}`));
    if (left.length === 0) lines.push(`The database \`${database}\` is sound.`);
    return { report: lines.join('\n'), sound: left.length === 0 };
  });
}

/** Moves files to which a ledger with lost writes does not refer out of the way: the next start would delete them. */
async function adopt(database: string, ledger: Ledger, loss: LedgerLoss): Promise<string> {
  const named = new Set<string>();
  for await (const [, value] of ledger.iterate(INDEX_PREFIX)) {
    for (const { file } of readRecord(value).segments) named.add(file);
  }
  const folder = path.join(database, 'segments');
  const files = fs.existsSync(folder) ? fs.readdirSync(folder).filter((file) => !named.has(file)) : [];
  moveDamaged(database, files);
  const moved = files.length > 0 ? `; ${files.join(', ')}, which it does not name, moved to \`damaged\`` : '';
  return `the ledger is taken as it is: ${loss.lost} writes are lost${moved}`;
}

async function closing<T>(ledger: Ledger, job: () => Promise<T>): Promise<T> {
  try {
    return await job();
  } finally {
    await ledger.close();
  }
}

/** @param asItIs opens the ledger even if it has lost writes; otherwise it is null then. @throws {LaunchError} */
async function openLedger(database: string, asItIs: boolean): Promise<{ ledger: Ledger | null; loss: LedgerLoss | null }> {
  if (!(await holdsDatabase(database))) throw new LaunchError(`There is no database at \`${database}\`.`);
  await checkVersion(database, false);
  await checkLedger(database);
  const folder = path.join(database, 'ledger');
  try {
    return { ledger: await Ledger.open(folder), loss: null };
  } catch (error) {
    if (error instanceof LedgerLoss) return { ledger: asItIs ? await Ledger.open(folder, { asItIs }) : null, loss: error };
    const problem = isLocked(error) ? 'is open in another process' : 'has a ledger that cannot be opened: restore it from a copy';
    throw new LaunchError(`The database \`${database}\` ${problem} (${(error as Error).message}).`);
  }
}
