import { groupAttribute, groupsBegin, groupsNext } from '../costs/positions';
import { ATTRIBUTE_EXACT } from '../costs/sources';
import { postingsBegin, postingsDoc, postingsNext, postingsPositions, postingsPositionsLength } from '../postings/decode';
import { bufferPush32 } from '../runtime/buffer';
import { TERM_EXACT, TERM_TOLERANT } from '../segment/layout';
import { SegmentView } from '../segment/view';
import { termIsLive } from './terms';

/**
 * Does a document that is not deleted hold the term on the tolerant side? The flags of a term count deleted documents too, so where
 * it has both sides and `tombstones` is not 0 its postings are looked at. `attributes`: u8 a field, as in costs/sources.
 */
export function termIsTolerant(view: usize, term: u32, tombstones: usize, attributes: usize): bool {
  const flags = load<u8>(changetype<SegmentView>(view).termFlags + term);
  if (!(flags & TERM_TOLERANT)) return false;
  if (!tombstones) return true;
  if (!(flags & TERM_EXACT)) return termIsLive(view, term, tombstones);
  postingsBegin(view, term);
  while (postingsNext()) {
    const doc = postingsDoc();
    if ((load<u8>(tombstones + (doc >>> 3)) >>> (doc & 7)) & 1) continue;
    groupsBegin(postingsPositions(), postingsPositionsLength());
    while (groupsNext()) {
      if (!(load<u8>(attributes + groupAttribute()) & ATTRIBUTE_EXACT)) return true;
    }
  }
  return false;
}

/**
 * Appends the first `limit` terms of [from, to) of live documents to a Buffer of u32, those on the tolerant side of one only if
 * `isTolerant`.
 */
export function pushLiveTerms(
  view: usize,
  from: u32,
  to: u32,
  isTolerant: bool,
  tombstones: usize,
  attributes: usize,
  limit: u32,
  out: usize,
): void {
  let count: u32 = 0;
  for (let term = from; term < to && count < limit; term++) {
    const counts = isTolerant
      ? termIsTolerant(view, term, tombstones, attributes)
      : !tombstones || termIsLive(view, term, tombstones);
    if (!counts) continue;
    bufferPush32(out, term);
    count++;
  }
}
