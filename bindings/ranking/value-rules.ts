import { geoGroups, sortGroups } from '../engine/sorting.js';
import { type Bucket, partOf, type Step } from './bucket.js';
import type { RankingRun } from './rank.js';
import type { SortRule } from './rules.js';

/** Sorting by a field or by distance: one bucket for each value. */
export function* valueRule(run: RankingRun, rule: SortRule, bucket: Bucket): Generator<Bucket> {
  const { engine, space } = run;
  const { reader } = space.sources;
  const bytes = reader.bitmapBytes;
  const pointer = engine.alloc(bucket.count * 4 + 16);
  engine.bitmapFirst(bucket.bitmap, bytes, bucket.count, pointer);
  const slots = reader.instance.u32(pointer, bucket.count).slice();
  for (const group of groupsOf(run, rule, slots)) {
    const bitmap = reader.newBitmap();
    const members = reader.instance.putWords(group.slots);
    engine.bitmapAddAll(bitmap, members, group.slots.length);
    yield partOf(bucket, bitmap, group.slots.length, group.step);
  }
}

function* groupsOf(run: RankingRun, rule: SortRule, slots: Uint32Array): Generator<{ slots: number[]; step: Step }> {
  const { reader } = run.space.sources;
  if (rule.kind === 'geo') {
    for (const group of geoGroups(reader, rule.lat, rule.lng, rule.ascending, slots)) {
      yield { slots: group.slots, step: { rule, point: group.value, distance: group.distance } };
    }
    return;
  }
  const field = reader.fieldId(rule.path);
  if (field < 0) {
    yield { slots: [...slots], step: { rule, value: null } };
    return;
  }
  for (const group of sortGroups(reader, field, rule.ascending, slots)) {
    yield { slots: group.slots, step: { rule, value: group.value } };
  }
}
