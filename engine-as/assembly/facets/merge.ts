/** Merges facets of several segments: adds counts of equal values, then sorts and truncates. */
import { plainDecimal, SHOWN_ROOM } from '../json/decimal-text';
import { alloc, allocZeroed } from '../runtime/arena';
import { outputCreate } from '../write/output';
import { FACET_BY_COUNT, FACET_BY_FOLDED, FACET_BY_TEXT } from './plan';
import { FacetNumber, FacetText, FacetValues, numberAt, textAt } from './values';

/** Initial bytes for the text of a number; most are shorter. */
const TEXT_ROOM: usize = 16;

/**
 * Merges FacetValues of `count` segments (u32 addresses): at most `numberLimit` numbers and `textLimit` texts, the first in an
 * order FACET_*. Values without candidates are left out. Numbers get their text.
 */
export function mergeValues(lists: usize, count: u32, order: u32, numberLimit: u32, textLimit: u32): FacetValues {
  const merged = changetype<FacetValues>(allocZeroed(offsetof<FacetValues>()));
  mergeNumbers(merged, lists, count);
  mergeTexts(merged, lists, count);
  merged.least = NaN;
  merged.greatest = NaN;
  for (let i: u32 = 0; i < count; i++) {
    const list = listAt(lists, i);
    merged.isTimedOut = merged.isTimedOut || list.isTimedOut;
    if (isNaN(list.least)) continue;
    merged.least = isNaN(merged.least) ? list.least : min(merged.least, list.least);
    merged.greatest = isNaN(merged.greatest) ? list.greatest : max(merged.greatest, list.greatest);
  }
  if (order === FACET_BY_TEXT) spellNumbers(merged);
  if (order === FACET_BY_TEXT || order === FACET_BY_COUNT) {
    merged.numberCount = best<FacetNumber>(merged.numbers, merged.numberCount, numberLimit, order);
  }
  if (order === FACET_BY_FOLDED || order === FACET_BY_COUNT) {
    merged.textCount = best<FacetText>(merged.texts, merged.textCount, textLimit, order);
  }
  merged.numberCount = min<u32>(merged.numberCount, numberLimit);
  merged.textCount = min<u32>(merged.textCount, textLimit);
  if (order !== FACET_BY_TEXT) spellNumbers(merged);
  return merged;
}

function spellNumbers(merged: FacetValues): void {
  const texts = outputCreate(<usize>merged.numberCount * TEXT_ROOM + SHOWN_ROOM);
  for (let i: u32 = 0; i < merged.numberCount; i++) {
    const number = numberAt(merged.numbers, i);
    number.length = plainDecimal(number.value, texts.room(SHOWN_ROOM));
    texts.length += number.length;
  }
  // The texts do not move any more once all have been written.
  let at = texts.data;
  for (let i: u32 = 0; i < merged.numberCount; i++) {
    const number = numberAt(merged.numbers, i);
    number.text = at;
    at += number.length;
  }
}

function listAt(lists: usize, index: u32): FacetValues {
  return changetype<FacetValues>(load<u32>(lists + ((<usize>index) << 2)));
}

function mergeNumbers(merged: FacetValues, lists: usize, count: u32): void {
  let room: u32 = 0;
  for (let i: u32 = 0; i < count; i++) room += listAt(lists, i).numberCount;
  merged.numbers = alloc(<usize>room * offsetof<FacetNumber>());
  const heads = allocZeroed((<usize>count) << 2);
  for (;;) {
    let next = changetype<FacetNumber>(0);
    for (let i: u32 = 0; i < count; i++) {
      const head = load<u32>(heads + ((<usize>i) << 2));
      if (head === listAt(lists, i).numberCount) continue;
      const number = numberAt(listAt(lists, i).numbers, head);
      if (changetype<usize>(next) === 0 || number.value < next.value) next = number;
    }
    if (changetype<usize>(next) === 0) return;
    const out = numberAt(merged.numbers, merged.numberCount++);
    out.value = next.value;
    out.documents = 0;
    for (let i: u32 = 0; i < count; i++) {
      const head = load<u32>(heads + ((<usize>i) << 2));
      if (head === listAt(lists, i).numberCount) continue;
      const number = numberAt(listAt(lists, i).numbers, head);
      if (number.value !== out.value) continue;
      out.documents += number.documents;
      store<u32>(heads + ((<usize>i) << 2), head + 1);
    }
  }
}

/**
 * Takes over the texts of a single segment that have candidates. Others are listed because a document that determines their
 * spelling has them.
 */
function keepCounted(merged: FacetValues, only: FacetValues): void {
  merged.texts = only.texts;
  for (let i: u32 = 0; i < only.textCount; i++) {
    const text = textAt(only.texts, i);
    if (text.documents === 0) continue;
    if (i !== merged.textCount) {
      memory.copy(changetype<usize>(textAt(merged.texts, merged.textCount)), changetype<usize>(text), offsetof<FacetText>());
    }
    merged.textCount++;
  }
}

function mergeTexts(merged: FacetValues, lists: usize, count: u32): void {
  if (count === 1) {
    keepCounted(merged, listAt(lists, 0));
    return;
  }
  let room: u32 = 0;
  for (let i: u32 = 0; i < count; i++) room += listAt(lists, i).textCount;
  merged.texts = alloc(<usize>room * offsetof<FacetText>());
  const heads = allocZeroed((<usize>count) << 2);
  for (;;) {
    let next = changetype<FacetText>(0);
    for (let i: u32 = 0; i < count; i++) {
      const text = headText(lists, heads, i);
      if (changetype<usize>(text) === 0) continue;
      if (changetype<usize>(next) === 0 || compareTexts(text, next) < 0) next = text;
    }
    if (changetype<usize>(next) === 0) return;
    const out = textAt(merged.texts, merged.textCount);
    memory.copy(changetype<usize>(out), changetype<usize>(next), offsetof<FacetText>());
    out.documents = 0;
    for (let i: u32 = 0; i < count; i++) {
      const text = headText(lists, heads, i);
      if (changetype<usize>(text) === 0 || compareTexts(text, out) !== 0) continue;
      out.documents += text.documents;
      if (text.spelledIn < out.spelledIn) {
        out.spelledIn = text.spelledIn;
        out.original = text.original;
        out.originalLength = text.originalLength;
      }
      const head = heads + ((<usize>i) << 2);
      store<u32>(head, load<u32>(head) + 1);
    }
    if (out.documents > 0) merged.textCount++;
  }
}

/** The first text of a list that is not merged yet, or null. */
function headText(lists: usize, heads: usize, index: u32): FacetText {
  const list = listAt(lists, index);
  const head = load<u32>(heads + ((<usize>index) << 2));
  return head === list.textCount ? changetype<FacetText>(0) : textAt(list.texts, head);
}

function compareBytes(left: usize, leftLength: u32, right: usize, rightLength: u32): i32 {
  const order = memory.compare(left, right, min<u32>(leftLength, rightLength));
  return order !== 0 ? order : leftLength < rightLength ? -1 : leftLength > rightLength ? 1 : 0;
}

function compareTexts(left: FacetText, right: FacetText): i32 {
  return compareBytes(left.text, left.length, right.text, right.length);
}

/**
 * Whether a value precedes another one in an order other than FACET_BY_VALUE; entries are ascending, so addresses give the order
 * of values.
 */
function isBefore<Entry>(left: usize, right: usize, order: u32): bool {
  if (order === FACET_BY_COUNT) {
    const one = changetype<Entry>(left).documents;
    const other = changetype<Entry>(right).documents;
    return one !== other ? one > other : left > right;
  }
  if (isNumber<Entry>()) {
    const one = changetype<FacetNumber>(left);
    const other = changetype<FacetNumber>(right);
    return compareBytes(one.text, one.length, other.text, other.length) < 0;
  }
  const one = changetype<FacetText>(left);
  const other = changetype<FacetText>(right);
  const difference = compareBytes(one.folded, one.foldedLength, other.folded, other.foldedLength);
  return difference !== 0 ? difference < 0 : left < right;
}

function isNumber<Entry>(): bool {
  return offsetof<Entry>() === offsetof<FacetNumber>();
}

/** Moves the first `limit` entries of an order to the front, sorted; returns their number. */
function best<Entry>(entries: usize, count: u32, limit: u32, order: u32): u32 {
  const size = min<u32>(count, limit);
  if (size === 0) return 0;
  // Addresses of the best so far: a heap with the last of them on top.
  const heap = alloc((<usize>size) << 2);
  for (let i: u32 = 0; i < count; i++) {
    const entry = entries + <usize>i * offsetof<Entry>();
    if (i < size) rise<Entry>(heap, i, entry, order);
    else if (isBefore<Entry>(entry, load<u32>(heap), order)) sink<Entry>(heap, size, entry, order);
  }
  for (let left = size; left > 1; left--) {
    const last = load<u32>(heap);
    sink<Entry>(heap, left - 1, load<u32>(heap + ((<usize>(left - 1)) << 2)), order);
    store<u32>(heap + ((<usize>(left - 1)) << 2), last);
  }
  const sorted = alloc(<usize>size * offsetof<Entry>());
  for (let i: u32 = 0; i < size; i++) {
    memory.copy(sorted + <usize>i * offsetof<Entry>(), load<u32>(heap + ((<usize>i) << 2)), offsetof<Entry>());
  }
  memory.copy(entries, sorted, <usize>size * offsetof<Entry>());
  return size;
}

/** Adds an entry to a heap of `at` entries. */
function rise<Entry>(heap: usize, at: u32, entry: usize, order: u32): void {
  let place = at;
  while (place > 0) {
    const parent = (place - 1) >>> 1;
    const above = load<u32>(heap + ((<usize>parent) << 2));
    if (!isBefore<Entry>(above, entry, order)) break;
    store<u32>(heap + ((<usize>place) << 2), above);
    place = parent;
  }
  store<u32>(heap + ((<usize>place) << 2), <u32>entry);
}

/** Replaces the top of a heap of `size` entries. */
function sink<Entry>(heap: usize, size: u32, entry: usize, order: u32): void {
  let place: u32 = 0;
  for (;;) {
    let child = (place << 1) + 1;
    if (child >= size) break;
    let below = load<u32>(heap + ((<usize>child) << 2));
    if (child + 1 < size) {
      const other = load<u32>(heap + ((<usize>child + 1) << 2));
      if (isBefore<Entry>(below, other, order)) {
        below = other;
        child++;
      }
    }
    if (!isBefore<Entry>(entry, below, order)) break;
    store<u32>(heap + ((<usize>place) << 2), below);
    place = child;
  }
  store<u32>(heap + ((<usize>place) << 2), <u32>entry);
}
