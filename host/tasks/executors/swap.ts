import { type ApiError, apiError } from '../../../bindings/errors.js';
import { listed } from '../../../bindings/query/validate.js';
import type { IndexRecord } from '../../index/record.js';
import { namesOfSwaps } from '../queue/renames.js';
import type { Swap, TaskRecord } from '../task.js';
import { indexExists } from './indexes.js';
import { type Execution, failed, type Outcome, succeeded } from './outcome.js';

/** Swaps all pairs or, when one cannot be swapped, none. */
export async function executeIndexSwap([task]: TaskRecord[], { indexStore, progress }: Execution): Promise<Outcome> {
  if (task!.work?.kind !== 'indexSwap') throw new Error(`task ${task!.uid} does not swap indexes`);
  const { swaps } = task!.work;
  progress.enter(1, 'ensuring correctness of the swap', 0, 2);
  const error = swapRefusal(swaps, indexStore.indexes);
  if (error) return { ended: [failed(task!, error)], drafts: [] };
  if (swaps.length === 0) return { ended: [succeeded(task!)], drafts: [] };
  progress.enter(1, 'swapping the indexes', 1, 2);
  return { ended: [succeeded(task!)], drafts: indexStore.swapIndexes(swaps), names: namesOfSwaps(swaps) };
}

function swapRefusal(swaps: Swap[], indexes: ReadonlyMap<string, IndexRecord>): ApiError | null {
  const needed = swaps.flatMap(({ indexes: [a, b], rename }) => (rename ? [a] : [a, b]));
  const missing = needed.filter((uid) => !indexes.has(uid));
  if (missing.length > 0) {
    const list = listed(missing);
    return apiError('index_not_found', 'notSwapped', { indexes: list });
  }
  const taken = swaps.find(({ indexes: [, b], rename }) => rename && indexes.has(b));
  return taken ? indexExists(taken.indexes[1]) : null;
}
