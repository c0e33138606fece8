import { addMember, hasMember, removeMember } from '../engine/bitmaps.js';
import { slotOfKey } from '../engine/document-keys.js';
import { RULE_PIN, VALUE_NONE } from '../engine/exports.js';
import type { IndexReader } from '../engine/segments.js';
import { putSteps, type RankedHit } from '../ranking/ranked.js';
import { removeDuplicates } from './distinct-values.js';
import type { RankPlan } from './plan.js';

/** A document at a fixed position of the answer. */
export interface PinnedHit {
  position: number;
  hit: RankedHit;
}

const NONE: readonly PinnedHit[] = [];

/**
 * The pinned documents that exist and pass the filter, each at its first position. They are removed from `filtered`, and with
 * `distinct` so are documents that share a value with one of them, because the pinned document takes their place. Pinned
 * documents do not exclude each other.
 */
export function takePins(
  reader: IndexReader,
  { pins, distinct }: Pick<RankPlan, 'pins' | 'distinct'>,
  filtered: number,
): readonly PinnedHit[] {
  if (pins.length === 0) return NONE;
  const taken: PinnedHit[] = [];
  for (const { id, position } of pins) {
    const slot = slotOfKey(reader, id);
    if (slot < 0 || !hasMember(reader.instance, filtered, slot)) continue;
    removeMember(reader.instance, filtered, slot);
    taken.push({
      position,
      hit: { slot, steps: putSteps(reader.instance, RULE_PIN, { number: position, score: 1, valueKind: VALUE_NONE }) },
    });
  }
  if (distinct !== null && taken.length > 0) {
    const slots = taken.map(({ hit }) => hit.slot);
    removeDuplicates(reader, distinct, slots, filtered);
  }
  return taken.sort((a, b) => a.position - b.position);
}

export function countPins({ instance }: IndexReader, pins: readonly PinnedHit[], counted: number): void {
  for (const { hit } of pins) addMember(instance, counted, hit.slot);
}
