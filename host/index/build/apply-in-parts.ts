import { FIELD_LIMIT } from '../../../bindings/engine/exports.js';
import { tooManyFields } from '../../../bindings/engine/json.js';
import { ApiError } from '../../../bindings/errors.js';
import type { Progress, StoredSegment } from '../types.js';
import type { Applied, ApplyInput, ApplyOutput, Refusal } from './apply.js';
import type { BuiltRange } from './build-range.js';
import { type DividedBatch, type PartInput, type PartOutput, type Parts, united } from './parts.js';

/** Jobs of index threads. `parts`: how many share the memory for building. */
export interface PartJobs {
  apply(input: ApplyInput, parts: Parts, progress?: Progress): Promise<Applied>;
  learn(part: PartInput, parts: number, progress?: Progress): Promise<string[]>;
  build(part: PartInput, parts: number, progress?: Progress): Promise<PartOutput>;
  /** Removes segments that nobody needs. */
  discard(segments: readonly StoredSegment[]): void;
}

type Outcome = { built: BuiltRange[]; fields: string[] } | { refusal: Refusal };

/**
 * Applies a batch: one thread sees what its operations make of the documents, and where these are many, several build them, each a run of
 * neighbours in the order of internal ids. What comes out is what one thread would have made, but for the cuts between segments: fields are
 * numbered as they first appear in that order, which all of them know before they build.
 */
export async function applyInParts(jobs: PartJobs, input: ApplyInput, parts: Parts, progress?: Progress): Promise<ApplyOutput> {
  let refusals = input.refusals ?? [];
  let allowed = parts;
  for (;;) {
    const known = { ...input, refusals };
    const applied = await jobs.apply(known, allowed, progress);
    if ('whole' in applied) return applied.whole;
    try {
      const outcome = await builtParts(jobs, known, applied.divided, progress);
      if ('built' in outcome) return united(applied.divided.outcome, outcome.built, outcome.fields);
      refusals = [...refusals, outcome.refusal];
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
  // learning takes little time, but whoever watches may want to end it
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
  // one thread would have come to the first of them
  for (const each of outputs) {
    if (each.status === 'rejected') throw each.reason;
    if ('refusal' in each.value) return { refusal: each.value.refusal };
  }
  throw new Error('a part of a batch is missing');
}

/** Waits for all, whichever fails: none is at work then. */
async function all<T>(promises: Promise<T>[]): Promise<T[]> {
  await Promise.allSettled(promises);
  return Promise.all(promises);
}

/** For each part a way to report, of which the sum goes on. @param count of parts. @param total documents of all */
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
