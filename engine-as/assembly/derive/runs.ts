/** Terms of segments as runs of consecutive numbers: a Buffer of {@link Run}. */
import { Buffer, bufferCreate, bufferRoom } from '../runtime/buffer';

/** Terms [from, to) of one segment; `segment` is its place among the segments of the index. */
@unmanaged
export class Run {
  segment: u32;
  from: u32;
  to: u32;
}

const RUN_BYTES: usize = offsetof<Run>();
const FIRST_RUNS: usize = 4;

export function runsCreate(): usize {
  return bufferCreate(FIRST_RUNS * RUN_BYTES);
}

export function runCount(runs: usize): u32 {
  return <u32>(changetype<Buffer>(runs).length / RUN_BYTES);
}

export function runAt(runs: usize, index: u32): Run {
  return changetype<Run>(changetype<Buffer>(runs).data + <usize>index * RUN_BYTES);
}

export function pushRun(runs: usize, segment: u32, from: u32, to: u32): void {
  const run = changetype<Run>(bufferRoom(runs, RUN_BYTES));
  run.segment = segment;
  run.from = from;
  run.to = to;
  changetype<Buffer>(runs).length += RUN_BYTES;
}

/** Adds a term; extends the last run if it is the next term. */
export function pushTerm(runs: usize, segment: u32, term: u32): void {
  const count = runCount(runs);
  if (count > 0) {
    const last = runAt(runs, count - 1);
    if (last.segment === segment && last.to === term) {
      last.to++;
      return;
    }
  }
  pushRun(runs, segment, term, term + 1);
}

export function pushRuns(runs: usize, others: usize): void {
  for (let i: u32 = 0; i < runCount(others); i++) {
    const run = runAt(others, i);
    pushRun(runs, run.segment, run.from, run.to);
  }
}

/** Number of terms in all runs. */
export function termsIn(runs: usize): u32 {
  let terms: u32 = 0;
  for (let i: u32 = 0; i < runCount(runs); i++) terms += runAt(runs, i).to - runAt(runs, i).from;
  return terms;
}

/** Copies the runs to an address with room for {@link runsBytes}. */
export function copyRuns(runs: usize, to: usize): usize {
  const source = changetype<Buffer>(runs);
  const copy = changetype<Buffer>(to);
  copy.data = to + offsetof<Buffer>();
  copy.length = source.length;
  copy.capacity = source.length;
  memory.copy(copy.data, source.data, source.length);
  return to;
}

export function runsBytes(runs: usize): usize {
  return offsetof<Buffer>() + changetype<Buffer>(runs).length;
}
