/**
 * Divides runs where parts of them are stored: the documents of frequent terms and prefixes by attribute (postings/long-runs). Words with typos,
 * and the first words of a prefix, are runs of terms that happen to be consecutive; a frequent one among them would have its postings read.
 */
import { runPostings } from '../costs/sources';
import { Search, segmentOf } from '../plan/search';
import { firstLongRun, longRunAt, longRunCount } from '../postings/long-runs';
import { SegmentView } from '../segment/view';
import { pushRun, runAt, runCount, runsCreate } from './runs';

/** A stored part becomes a run of its own from this share of the postings of the run on, as 1/n: each further run has sets to be combined. */
const PART_SHARE: u32 = 4;

/** The same terms in runs that are divided where they have stored parts. */
export function dividedRuns(search: Search, runs: usize): usize {
  const divided = runsCreate();
  for (let i: u32 = 0; i < runCount(runs); i++) {
    const run = runAt(runs, i);
    const segment = segmentOf(search, run.segment);
    if (segment.isHere) divideRun(segment.view, run.segment, run.from, run.to, divided);
    else pushRun(divided, run.segment, run.from, run.to);
  }
  return divided;
}

/** Appends the terms [from, to) of a segment to some runs. `number`: that of the segment. */
export function divideRun(viewPointer: usize, number: u32, from: u32, to: u32, out: usize): void {
  const view = changetype<SegmentView>(viewPointer);
  let next = from;
  if (to - from > 1) {
    const least = runPostings(viewPointer, from, to) / PART_SHARE;
    for (let i = firstLongRun(view, from, to); i < longRunCount(view) && longRunAt(view, i).from < to; i++) {
      const stored = longRunAt(view, i);
      if (stored.from < next || stored.to > to || runPostings(viewPointer, stored.from, stored.to) < least) continue;
      if (stored.from > next) pushRun(out, number, next, stored.from);
      pushRun(out, number, stored.from, stored.to);
      next = stored.to;
    }
  }
  if (next < to) pushRun(out, number, next, to);
}
