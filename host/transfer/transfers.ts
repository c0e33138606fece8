import type { Dispatcher } from 'undici';
import type { Options } from '../options/launch.js';
import type { Ledger } from '../storage/ledger/ledger.js';
import type { Executor } from '../tasks/executors/outcome.js';
import type { TaskType } from '../tasks/task-types.js';
import { executeDumpCreation } from './dump/dump.js';
import { executeExport } from './export.js';
import { executeSnapshotCreation } from './snapshot.js';

/** Executors of dumps, snapshots and exports. */
export function transferExecutors(
  { dbPath: database, dumpDir: dumps, snapshotDir: snapshots, httpPayloadSizeLimit: payloadLimit }: Options,
  ledger: Ledger,
  dispatcher: Dispatcher,
): Partial<Record<TaskType, Executor>> {
  return {
    dumpCreation: (tasks, execution) => executeDumpCreation(tasks, execution, { ledger, database, dumps }),
    snapshotCreation: (tasks, execution) => executeSnapshotCreation(tasks, execution, { ledger, database, snapshots }),
    export: (tasks, execution) => executeExport(tasks, execution, { database, payloadLimit, dispatcher }),
  };
}
