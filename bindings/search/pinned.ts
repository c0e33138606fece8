import { addMember, hasMember, removeMember } from '../engine/bitmaps.js';
import { slotOfKey } from '../engine/document-keys.js';
import { RULE_PIN, VALUE_NONE } from '../engine/exports.js';
import type { IndexReader } from '../engine/segments.js';
import type { FilterText } from '../query/filter-ast.js';
import { evaluateFilter } from '../query/filter-evaluate.js';
import { putSteps, type RankedHit } from '../ranking/ranked.js';
import type { RankPlan } from './plan.js';
import { inOrder, valuesOf } from './semantic/distinct-values.js';

/** A document at a fixed position of the answer. */
export interface PinnedHit {
  position: number;
  hit: RankedHit;
}

/**
 * The pinned documents that exist and pass the filter, each at its first position. They are removed from `filtered`, and with
 * `distinct` so are documents that share a value with one of them, because the pinned document takes their place. Pinned
 * documents do not exclude each other.
 */
export function takePins(
  reader: IndexReader,
  { pins, distinct }: Pick<RankPlan, 'pins' | 'distinct'>,
  filtered: number,
): PinnedHit[] {
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
  if (distinct !== null && taken.length > 0) clearDuplicates(reader, distinct, taken, filtered);
  return taken.sort((a, b) => a.position - b.position);
}

/** Removes documents that share a value with a pinned one from a bitmap. */
function clearDuplicates(reader: IndexReader, path: string, pins: readonly PinnedHit[], filtered: number): void {
  const values = valuesOf(reader, path);
  const taken = new Set(pins.flatMap(({ hit }) => values(hit.slot)));
  if (taken.size === 0) return;
  const names = [...taken].map((value) => filterText(String(value)));
  // Filters treat the number 3 and the text 3 as equal.
  const alike = evaluateFilter(reader, { kind: 'in', field: filterText(path), values: names });
  reader.intersect(alike, filtered);
  for (const slot of inOrder(reader, alike))
    if (values(slot).some((value) => taken.has(value))) removeMember(reader.instance, filtered, slot);
}

/** A name or value that does not come from a request. */
function filterText(text: string): FilterText {
  return { text, source: text, start: 0, end: text.length, quoted: true };
}

export function countPins({ instance }: IndexReader, pins: readonly PinnedHit[], counted: number): void {
  for (const { hit } of pins) addMember(instance, counted, hit.slot);
}
