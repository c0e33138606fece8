/** Samples of the dictionaries of segments are kept from search to search. */
import { firstTerms, isSampled, samplesBytes, writeSamples } from '../dictionary/samples';
import { PlanSegment } from '../plan/plan';
import { keptAdd, keptAdmits, keptAlloc, keptFind } from '../rank/kept';
import { KEPT_SAMPLES } from '../rank/result-kinds';
import { bufferPush32 } from '../runtime/buffer';
import { keyCreate } from '../runtime/key-table';
import { SegmentView } from '../segment/view';

/** Lets what looks words up in a segment of this memory begin with samples, where there is room for them. */
export function useSamples(segment: PlanSegment): void {
  const view = changetype<SegmentView>(segment.view);
  if (!isSampled(view)) return;
  const key = keyCreate(KEPT_SAMPLES);
  bufferPush32(key, segment.id);
  view.samples = keptFind(key);
  if (view.samples !== 0) return;
  const firsts = firstTerms(view);
  const bytes = samplesBytes(view, firsts);
  if (!keptAdmits(key, bytes)) return;
  const at = keptAlloc(bytes);
  if (at !== 0) writeSamples(view, firsts, at);
  view.samples = keptAdd(key, at);
}
