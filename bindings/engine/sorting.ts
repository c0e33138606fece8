/** Documents in the order of a field or of a distance, bucket by bucket, without sorting more than is asked for. */

import type { Column } from './columns.js';
import { columnOf } from './columns.js';
import { KEY_NONE } from './exports.js';
import type { EngineInstance } from './instance.js';
import type { IndexReader, OpenSegment } from './segments.js';

export type SortValue = number | string | null;

/** Documents that tie, in the order in which they were given. */
export interface SortGroup {
  value: SortValue;
  slots: number[];
}

export interface GeoGroup {
  /** The point of the group's first document; null: the documents without a point. */
  value: { lat: number; lng: number } | null;
  /** Metres from the point asked for to {@link value}. */
  distance: number | null;
  slots: number[];
}

/** Members of the first step of an order; each further step is larger by {@link STEP_GROWTH}. */
const FIRST_STEP = 64;
const STEP_GROWTH = 4;

/** Distances that differ by at most this many metres from the first of a group tie with it… */
const GEO_MARGIN = 1;
/** …but a group has no more documents than this. */
const GEO_GROUP_SIZE = 1000;

/** Some documents of one segment, and where each of them stood among all that were given. */
interface Part {
  segment: OpenSegment;
  locals: Uint32Array;
  places: Uint32Array;
}

function partsOf(reader: IndexReader, slots: Uint32Array): Part[] {
  const parts: Part[] = [];
  for (const segment of reader.segments) {
    const end = segment.base + segment.ref.docCount;
    const places = new Uint32Array(slots.length);
    const locals = new Uint32Array(slots.length);
    let count = 0;
    for (let place = 0; place < slots.length; place++) {
      const slot = slots[place] as number;
      if (slot < segment.base || slot >= end) continue;
      places[count] = place;
      locals[count++] = slot - segment.base;
    }
    if (count > 0) parts.push({ segment, places: places.subarray(0, count), locals: locals.subarray(0, count) });
  }
  return parts;
}

function putWords(instance: EngineInstance, words: Uint32Array): number {
  return instance.put(new Uint8Array(words.buffer, words.byteOffset, words.byteLength));
}

/** Indices of u32 keys in ascending order of the keys, step by step; no key is spread over two steps. */
function* orderedSteps(instance: EngineInstance, keys: number, count: number): Generator<Uint32Array> {
  const order = instance.exports.keyOrderBegin(keys, count);
  for (let want = FIRST_STEP; ; want *= STEP_GROWTH) {
    const members = instance.exports.keyOrderNext(order, Math.min(want, count));
    if (members === 0) return;
    yield instance.u32(instance.exports.keyOrderIndices(order), members).slice();
  }
}

interface KeyedGroup {
  key: number;
  places: number[];
}

/** The documents of one segment by ascending key of the engine (columns/sort-keys.ts). */
function* keyedGroups(part: Part, fieldId: number, ascending: boolean): Generator<KeyedGroup> {
  const { segment, locals, places } = part;
  const { instance } = segment;
  const count = locals.length;
  const localsAt = putWords(instance, locals);
  const keysAt = instance.alloc(count * 4);
  instance.exports.sortKeysInto(segment.view, fieldId, ascending, localsAt, count, keysAt);
  for (const step of orderedSteps(instance, keysAt, count)) {
    let group = null as KeyedGroup | null;
    for (const index of step) {
      // read anew: the memory may have grown since the last group was taken
      const key = instance.words[keysAt / Uint32Array.BYTES_PER_ELEMENT + index] as number;
      const place = places[index] as number;
      if (group?.key === key) {
        group.places.push(place);
        continue;
      }
      if (group) yield group;
      group = { key, places: [place] };
    }
    if (group) yield group;
  }
}

/** The value that a key of the engine stands for. */
function valueOfKey(column: Column | null, key: number, ascending: boolean): SortValue {
  if (!column || key === KEY_NONE) return null;
  const { numberCount, normalizedCount } = column.header;
  if (key < numberCount) return column.number(ascending ? key : numberCount - 1 - key);
  const ordinal = key - numberCount;
  return column.normalized(ascending ? ordinal : normalizedCount - 1 - ordinal);
}

/** Orders values: numbers, then texts by their code points, then none; only within its kind an order is turned round. */
export function compareSortValues(left: SortValue, right: SortValue, ascending: boolean): number {
  const kind = (value: SortValue) => (value === null ? 2 : typeof value === 'string' ? 1 : 0);
  if (kind(left) !== kind(right)) return kind(left) - kind(right);
  const order =
    typeof left === 'string' ? compareTexts(left, right as string) : ((left as number) ?? 0) - ((right as number | null) ?? 0);
  return ascending ? order : -order;
}

/** Compares as UTF-8 bytes do, which UTF-16 units do not where surrogates meet U+E000 … U+FFFF. */
export function compareTexts(left: string, right: string): number {
  const length = Math.min(left.length, right.length);
  for (let i = 0; i < length; i++) {
    const a = left.charCodeAt(i);
    const b = right.charCodeAt(i);
    if (a !== b) return a >= 0xd800 && b >= 0xd800 ? (left.codePointAt(i) as number) - (right.codePointAt(i) as number) : a - b;
  }
  return left.length - right.length;
}

/**
 * Groups documents by the value they are sorted by: numbers, then normalized texts, then those without a value (null), the first
 * two in the direction asked for. Groups are made as they are taken. They use scratch of the reader's instances, reserved when the
 * first one is taken: do not release it before the last one.
 */
export function* sortGroups(reader: IndexReader, fieldId: number, ascending: boolean, slots: Uint32Array): Generator<SortGroup> {
  if (slots.length === 0) return;
  if (fieldId < 0) {
    yield { value: null, slots: [...slots] };
    return;
  }
  const slotsAt = (places: number[]) => places.map((place) => slots[place] as number);
  const sources = partsOf(reader, slots).map((part) => {
    const column = columnOf(part.segment, fieldId);
    return { column, groups: keyedGroups(part, fieldId, ascending) };
  });
  const [only] = sources;
  if (sources.length === 1 && only) {
    for (const { key, places } of only.groups) yield { value: valueOfKey(only.column, key, ascending), slots: slotsAt(places) };
    return;
  }
  const take = ({ column, groups }: (typeof sources)[number]) => {
    const { value: group } = groups.next();
    return group ? { value: valueOfKey(column, group.key, ascending), places: group.places } : null;
  };
  const heads = sources.map(take);
  for (;;) {
    let value: SortValue | undefined;
    for (const head of heads) {
      if (head && (value === undefined || compareSortValues(head.value, value, ascending) < 0)) value = head.value;
    }
    if (value === undefined) return;
    const places: number[] = [];
    heads.forEach((head, position) => {
      if (!head || compareSortValues(head.value, value, ascending) !== 0) return;
      for (const place of head.places) places.push(place);
      heads[position] = take(sources[position] as (typeof sources)[number]);
    });
    yield { value, slots: slotsAt(places.sort((a, b) => a - b)) };
  }
}

/** The value that a document is sorted by; null when it has none. */
export function sortValue(reader: IndexReader, slot: number, fieldId: number, ascending: boolean): SortValue {
  const segment = reader.segmentOf(slot);
  const column = columnOf(segment, fieldId);
  if (!column) return null;
  const key = segment.instance.exports.columnSortKey(column.pointer, slot - segment.base, ascending);
  return valueOfKey(column, key, ascending);
}

/** Distances (metres, to the millimetre) of documents from a point; NaN for a document without a point. */
export function geoDistances(reader: IndexReader, lat: number, lng: number, slots: Uint32Array): Float64Array {
  const distances = new Float64Array(slots.length).fill(Number.NaN);
  for (const { segment, locals, places } of partsOf(reader, slots)) {
    const { instance } = segment;
    const points = instance.exports.geoPoints(segment.view);
    if (!points) continue;
    instance.scoped(() => {
      const localsAt = putWords(instance, locals);
      const out = instance.alloc(locals.length * 8);
      instance.exports.geoDistances(points, lat, lng, localsAt, locals.length, out);
      const found = instance.f64(out, locals.length);
      for (let i = 0; i < places.length; i++) distances[places[i] as number] = found[i] as number;
    });
  }
  return distances;
}

/** The point of a document, if it has one. */
function geoPoint(reader: IndexReader, slot: number): { lat: number; lng: number } | null {
  const { instance, view, base } = reader.segmentOf(slot);
  const points = instance.exports.geoPoints(view);
  if (!points) return null;
  const [lat, lng] = instance.f64(points + (slot - base) * 16, 2) as unknown as [number, number];
  return Number.isNaN(lat) ? null : { lat, lng };
}

/** u32 keys in steps of 8 mm hold half the circumference of the earth; ties within a key are sorted apart. */
const KEYS_A_METRE = 125;
const LARGEST_KEY = 0xfffffff0;

/**
 * Groups documents by their distance from a point, nearest or farthest first, those without a point last. Groups are made as they
 * are taken; scratch as in {@link sortGroups}.
 */
export function* geoGroups(
  reader: IndexReader,
  lat: number,
  lng: number,
  ascending: boolean,
  slots: Uint32Array,
): Generator<GeoGroup> {
  let first = 0;
  let places: number[] = [];
  const absent: number[] = [];
  const group = (): GeoGroup => {
    const value = geoPoint(reader, slots[places[0] as number] as number);
    return { value, distance: first, slots: places.sort((a, b) => a - b).map((place) => slots[place] as number) };
  };
  for (const { place, distance } of byDistance(reader, lat, lng, ascending, slots)) {
    if (Number.isNaN(distance)) {
      absent.push(slots[place] as number);
      continue;
    }
    if (places.length > 0 && (Math.abs(distance - first) > GEO_MARGIN || places.length === GEO_GROUP_SIZE)) {
      yield group();
      places = [];
    }
    if (places.length === 0) first = distance;
    places.push(place);
  }
  if (places.length > 0) yield group();
  if (absent.length > 0) yield { value: null, distance: null, slots: absent };
}

function* byDistance(
  reader: IndexReader,
  lat: number,
  lng: number,
  ascending: boolean,
  slots: Uint32Array,
): Generator<{ place: number; distance: number }> {
  const distances = geoDistances(reader, lat, lng, slots);
  const keys = new Uint32Array(slots.length);
  for (let place = 0; place < keys.length; place++) {
    const distance = distances[place] as number;
    const key = Math.floor(distance * KEYS_A_METRE);
    keys[place] = Number.isNaN(distance) ? KEY_NONE : ascending ? key : LARGEST_KEY - key;
  }
  const { instance } = reader;
  const direction = ascending ? 1 : -1;
  for (const step of orderedSteps(instance, putWords(instance, keys), keys.length)) {
    step.sort((a, b) => {
      const order = (distances[a] as number) - (distances[b] as number);
      return Number.isNaN(order) ? 0 : order * direction || a - b;
    });
    for (const place of step) yield { place, distance: distances[place] as number };
  }
}
