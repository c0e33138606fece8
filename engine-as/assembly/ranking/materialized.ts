/**
 * The occurrences of all the words of a long run of terms (a short prefix) in one segment, decoded and put together by document.
 * Made once and kept: reading thousands of short lists again for each query costs more than all the rest of it.
 */

import { postingsOrInto } from '../postings/decode';
import { alloc, allocPersistent, arenaMark, arenaReset } from '../runtime/arena';
import { bitmapBytes } from '../segment/layout';
import { SegmentView } from '../segment/view';
import { bitmapCount } from '../sets/bitmap';
import { Context, contextCreate, Occurrences, occurrencesOf } from './context';
import { MaterializedRun, Source } from './sources';

/** Answers the address of a MaterializedRun in persistent memory, 0 when there is no room for it. */
export function materializeRun(view: usize, from: u32, to: u32): usize {
  const mark = arenaMark();
  const bytes = bitmapBytes(changetype<SegmentView>(view).docCount);
  const documents = alloc(bytes);
  memory.fill(documents, 0, bytes);
  for (let term = from; term < to; term++) postingsOrInto(view, term, documents);
  const source = changetype<Source>(alloc(offsetof<Source>()));
  source.view = view;
  source.base = 0;
  source.from = from;
  source.to = to;
  source.within = 0;
  source.materialized = 0;
  const count = bitmapCount(documents, bytes);
  const context = changetype<Context>(contextCreate(documents, bytes, count));
  const occurrences = changetype<Occurrences>(occurrencesOf(changetype<usize>(context), changetype<usize>(source), 1));
  const codes = load<u32>(occurrences.starts + ((<usize>count) << 2));
  const result = keep(context, occurrences, bytes, count, codes);
  arenaReset(mark);
  return result;
}

function keep(context: Context, occurrences: Occurrences, bytes: u32, count: u32, codes: u32): usize {
  const rankBytes = (<usize>bytes >> 3) << 2;
  const startBytes = (<usize>count + 1) << 2;
  const at = allocPersistent(offsetof<MaterializedRun>() + 64 + bytes + rankBytes + startBytes + ((<usize>codes) << 2));
  if (at === 0) return 0;
  const run = changetype<MaterializedRun>(at);
  run.bitmap = (at + offsetof<MaterializedRun>() + 15) & ~(<usize>15);
  run.ranks = run.bitmap + bytes;
  run.starts = run.ranks + rankBytes;
  run.codes = run.starts + startBytes;
  memory.copy(run.bitmap, context.bitmap, bytes);
  memory.copy(run.ranks, context.ranks, rankBytes);
  memory.copy(run.starts, occurrences.starts, startBytes);
  memory.copy(run.codes, occurrences.codes, (<usize>codes) << 2);
  return at;
}

/** Postings of the terms [from, to). */
export function runPostings(view: usize, from: u32, to: u32): u32 {
  const frequencies = changetype<SegmentView>(view).termDocFreq;
  let postings: u32 = 0;
  for (let term = from; term < to; term++) postings += load<u32>(frequencies + ((<usize>term) << 2));
  return postings;
}
