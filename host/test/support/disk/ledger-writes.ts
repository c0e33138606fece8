import { setTimeout as delay } from 'node:timers/promises';
import { DoubtfulWrite } from '../../../storage/errors.js';
import { Ledger, type LedgerWrite } from '../../../storage/ledger/ledger.js';

/** A program: writes to a ledger in the folder of its first argument, several writes at once, and prints a report as JSON. */
export interface LedgerWritesReport {
  /** Writes of which a part was found at once, or that failed and were found. */
  partly: string[];
  /** Keys of the writes that succeeded, one of each that no other write has. */
  succeeded: string[];
  /** Whether the ledger could be written in the end. */
  writable: boolean;
}

const ROUNDS = 6;
/** Attempts to write at the end, and milliseconds between them: the ledger tries twice a second to open its store. */
const ATTEMPTS = 30;
const PAUSE_MS = 100;

const put = (key: string, bytes: number, content: string): LedgerWrite => ({
  type: 'put',
  key,
  value: Buffer.alloc(bytes, content),
});

const ledger = await Ledger.open(process.argv[2]!);
const report: LedgerWritesReport = { partly: [], succeeded: [], writable: false };
let writes = 0;

/** The commit of a batch, as the scheduler writes it. */
const commit = (round: number) =>
  write([
    put(`index/${round}`, 3000, 'i'),
    put(`task/${round}`, 400, 'e'),
    put(`batch/${round}`, 300, 'b'),
    { type: 'del', key: `payload/${round}` },
  ]);

const registration = (uid: number) => write([put(`task/${uid}`, 300, 't'), put(`payload/${uid}`, 200 + (uid % 7) * 5000, 'p')]);

async function write(shared: LedgerWrite[]): Promise<void> {
  const own = put(`write/${writes++}`, 8, 'w');
  const operations = [...shared, own];
  const error = await ledger.write(operations, true).then(
    () => null,
    (reason: unknown) => reason,
  );
  if (error === null) report.succeeded.push(own.key);
  // while the ledger cannot be opened nothing is known
  const applied = await Promise.all(operations.map((each) => isApplied(each))).catch(() => []);
  if (error instanceof DoubtfulWrite ? new Set(applied).size > 1 : applied.some((each) => each !== (error === null))) {
    report.partly.push(operations.map(({ key }, i) => `${key}: ${applied[i] ? 'applied' : 'not applied'}`).join(', '));
  }
}

async function isApplied({ key, type, value }: LedgerWrite): Promise<boolean> {
  const found = await ledger.get(key);
  return type === 'del' ? found === null : (found?.equals(value!) ?? false);
}

await registration(0);
for (let round = 0; round < ROUNDS; round++) {
  await Promise.all([commit(round), registration(round + 1), ...(round % 2 ? [registration(1000 + round)] : [])]);
}
for (let attempt = 0; attempt < ATTEMPTS && !report.writable; attempt++) {
  if (attempt > 0) await delay(PAUSE_MS);
  report.writable = await ledger.write([put('last', 8, 'l')], true).then(
    () => true,
    () => false,
  );
}
await ledger.close();
process.stdout.write(JSON.stringify(report));
