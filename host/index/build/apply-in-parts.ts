import { FIELD_LIMIT } from '../../../bindings/engine/exports.js';
import { tooManyFields } from '../../../bindings/engine/json.js';
import { ApiError } from '../../../bindings/errors.js';
import type { Progress } from '../progress.js';
import type { StoredSegment } from '../record.js';
import type { Applied, Outdated } from './apply.js';
import type { ApplyInput, ApplyOutput, Refusal } from './batch/batch-job.js';
import type { BuiltRange } from './build-range.js';
import { type DividedBatch, type PartInput, type PartOutput, type Parts, united } from './parts.js';

/** Jobs of index threads. `parts`: how many of them share the memory for building. */
export interface PartJobs {
  apply(input: ApplyInput, parts: Parts, progress?: Progress): Promise<Applied>;
  learn(part: PartInput, parts: number, progress?: Progress): Promise<string[]>;
  build(part: PartInput, parts: number, progress?: Progress): Promise<PartOutput>;
  /** Removes segments that are no longer needed. */
  discard(segments: readonly StoredSegment[]): void;
}

type Outcome = { built: BuiltRange[]; fields: string[] } | { refusal: Refusal };

/**
 * Applies a batch. One thread determines the final version of every document; when there are many, several threads build them,
 * each a contiguous range of internal ids. The result equals that of one thread except for segment boundaries: field ids are
 * assigned in document order before the ranges are built.
 */
export async function applyInParts(
  jobs: PartJobs,
  input: ApplyInput,
  parts: Parts,
  progress?: Progress,
): Promise<ApplyOutput | Outdated> {
  let refusals = input.refusals ?? [];
  let allowed = parts;
  for (;;) {
    const known = { ...input, refusals };
    const applied = await jobs.apply(known, allowed, progress);
    if ('whole' in applied) return applied.whole;
    if ('refusals' in applied) return applied;
    try {
      const outcome = await builtParts(jobs, known, applied.divided, progress);
      if ('built' in outcome) return united(applied.divided.outcome, outcome.built, outcome.fields);
      refusals = [...refusals, outcome.refusal];
      if (input.embedded) return { refusals: [...refusals] };
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== 'max_fields_limit_exceeded') throw error;
      // one thread finds out which operation is at fault
      allowed = { ...parts, most: 1 };
    }
  }
}

async function builtParts(jobs: PartJobs, input: ApplyInput, batch: DividedBatch, progress?: Progress): Promise<Outcome> {
  const { ranges } = batch;
  const part = (index: number, fields: string[]): PartInput => ({ input, batch, range: ranges[index]!, fields });
  const total = ranges.reduce((sum, { from, to }) => sum + to - from, 0);
  // Assigning field ids is quick, but its progress callback lets a cancelation through.
  const watched: Progress | undefined = progress && (() => progress('checking documents', total, total));
  const learned = await all(ranges.map((_, index) => jobs.learn(part(index, input.view.fields), ranges.length, watched)));
  const fields = [...new Set(learned.flat())];
  if (fields.length > FIELD_LIMIT) throw tooManyFields();
  const shares = shared(ranges.length, total, progress);
  const outputs = await Promise.allSettled(
    ranges.map((_, index) => jobs.build(part(index, fields), ranges.length, shares[index])),
  );
  const built = outputs.flatMap((each) => (each.status === 'fulfilled' && 'built' in each.value ? [each.value.built] : []));
  if (built.length === ranges.length) return { built, fields };
  jobs.discard(built.flatMap(({ segments }) => segments));
  // As on one thread, the first error in document order is reported.
  for (const each of outputs) {
    if (each.status === 'rejected') throw each.reason;
    if ('refusal' in each.value) return { refusal: each.value.refusal };
  }
  throw new Error('a part of a batch is missing');
}

/** Waits for all promises even if one fails, so that no thread is still working afterwards. */
async function all<T>(promises: Promise<T>[]): Promise<T[]> {
  await Promise.allSettled(promises);
  return Promise.all(promises);
}

/** A progress callback for each part; their sum is reported. @param count of parts. @param total documents of all parts */
function shared(count: number, total: number, progress: Progress | undefined): (Progress | undefined)[] {
  const finished = Array.from({ length: count }, () => 0);
  return finished.map((_, index) => {
    if (!progress) return undefined;
    return (_step, done) => {
      finished[index] = done;
      const sum = finished.reduce((before, each) => before + each, 0);
      progress('indexing documents', sum, total);
    };
  });
}
