/** The best documents of a search so far: by descending similarity, then by ascending local number. */
import { alloc } from '../runtime/arena';

@unmanaged
export class Scored {
  similarity: f32;
  document: u32;
}

/** A binary heap with the worst entry on top. */
@unmanaged
export class Best {
  count: u32;
  limit: u32;
  /** Scored[limit] */
  entries: usize;
}

/** Memory for `limit` documents, at least one. */
export function bestCreate(limit: u32): usize {
  const best = changetype<Best>(alloc(offsetof<Best>()));
  best.count = 0;
  best.limit = limit;
  best.entries = alloc(<usize>limit * offsetof<Scored>());
  return changetype<usize>(best);
}

function entryAt(best: Best, index: u32): Scored {
  return changetype<Scored>(best.entries + <usize>index * offsetof<Scored>());
}

/** Whether the first one ranks after the second one. */
function isWorse(similarity: f32, document: u32, otherSimilarity: f32, otherDocument: u32): bool {
  return similarity < otherSimilarity || (similarity === otherSimilarity && document > otherDocument);
}

/** Adds a document if it is among the best; it must not have been offered before. */
export function bestOffer(pointer: usize, similarity: f32, document: u32): void {
  const best = changetype<Best>(pointer);
  if (best.count < best.limit) {
    rise(best, best.count++, similarity, document);
    return;
  }
  const worst = entryAt(best, 0);
  if (isWorse(worst.similarity, worst.document, similarity, document)) sink(best, best.count, similarity, document);
}

function rise(best: Best, from: u32, similarity: f32, document: u32): void {
  let at = from;
  while (at > 0) {
    const parent = entryAt(best, (at - 1) >>> 1);
    if (!isWorse(similarity, document, parent.similarity, parent.document)) break;
    put(best, at, parent.similarity, parent.document);
    at = (at - 1) >>> 1;
  }
  put(best, at, similarity, document);
}

/** Replaces the worst entry in a heap of `count`. */
function sink(best: Best, count: u32, similarity: f32, document: u32): void {
  let at: u32 = 0;
  for (;;) {
    let child: u32 = (at << 1) + 1;
    if (child >= count) break;
    const left = entryAt(best, child);
    if (child + 1 < count) {
      const right = entryAt(best, child + 1);
      if (isWorse(right.similarity, right.document, left.similarity, left.document)) child++;
    }
    const worst = entryAt(best, child);
    if (!isWorse(worst.similarity, worst.document, similarity, document)) break;
    put(best, at, worst.similarity, worst.document);
    at = child;
  }
  put(best, at, similarity, document);
}

function put(best: Best, index: u32, similarity: f32, document: u32): void {
  const entry = entryAt(best, index);
  entry.similarity = similarity;
  entry.document = document;
}

/** Drops the entries below a similarity. */
export function bestDrop(pointer: usize, least: f32): void {
  const best = changetype<Best>(pointer);
  const count = best.count;
  best.count = 0;
  for (let i: u32 = 0; i < count; i++) {
    const entry = entryAt(best, i);
    if (entry.similarity >= least) rise(best, best.count++, entry.similarity, entry.document);
  }
}

/** Sorts the entries, best first; nothing can be offered afterwards. */
export function bestSort(pointer: usize): u32 {
  const best = changetype<Best>(pointer);
  for (let left = best.count; left > 1; left--) {
    const worst = entryAt(best, 0);
    const last = entryAt(best, left - 1);
    const similarity = last.similarity;
    const document = last.document;
    put(best, left - 1, worst.similarity, worst.document);
    sink(best, left - 1, similarity, document);
  }
  return best.count;
}

/** Scored[], for the caller to read. */
export function bestEntries(pointer: usize): usize {
  return changetype<Best>(pointer).entries;
}
