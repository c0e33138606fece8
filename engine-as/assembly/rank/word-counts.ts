/** Word counts of every segment, for the exact-attribute rule. */

import { memoAdd, memoFind, UNKNOWN } from '../cache/memo';
import { MEMO_WORD_COUNTS } from '../cache/result-kinds';
import { SlotRange } from '../costs/exactness';
import { viewOfWordCounts } from '../costs/projection';
import { Search, segmentOf } from '../plan/search';
import { REQUEST_WORD_COUNTS, requestFor, sendRequest } from '../remote/request';
import { alloc } from '../runtime/arena';

/** SlotRange[], one per segment. Word counts of segments in other memories are copied. */
export function wordCountsOf(search: Search): usize {
  const known = memoFind(search.memo, MEMO_WORD_COUNTS, 0, 0, 0);
  if (known !== UNKNOWN) return known;
  const ranges = alloc(<usize>search.plan.segments.count * offsetof<SlotRange>());
  for (let number: u32 = 0; number < search.plan.segments.count; number++) {
    const segment = segmentOf(search, number);
    const range = changetype<SlotRange>(ranges + <usize>number * offsetof<SlotRange>());
    range.base = segment.base;
    range.view = segment.isHere ? segment.view : copiedCounts(search, number);
  }
  return memoAdd(search.memo, MEMO_WORD_COUNTS, 0, 0, 0, ranges);
}

function copiedCounts(search: Search, number: u32): usize {
  const segment = segmentOf(search, number);
  return viewOfWordCounts(sendRequest(number, requestFor(segment, REQUEST_WORD_COUNTS, 0)));
}
