import type { AttributeTable } from './attributes.js';
import type { Run, Sources } from './runs.js';

/** Pairs of common words are partitioned once, and kept. */
const MANY_DOCUMENTS = 256;
/** Every two words of so many neighbours must stand near each other. */
const PHRASE_WINDOW = 3;

/**
 * Documents of a bitmap that match a phrase: address of a new bitmap, or 0 when there is none. `words`: the runs of each word,
 * null for a gap, which any word or none may fill.
 */
export function matchPhrase(
  sources: Sources,
  attributes: AttributeTable,
  words: readonly (Run[] | null)[],
  within: number,
): number {
  const { reader, engine } = sources;
  const bytes = reader.bitmapBytes;
  const check = { attributes: attributes.kinds, restricted: attributes.restricted, tolerantOnly: false };
  const matched = reader.newBitmap();
  engine.bitmapCopy(matched, within, bytes);
  for (const runs of words) {
    if (runs === null) continue;
    if (runs.length === 0) return 0;
    const holders = reader.newBitmap();
    sources.orInto(runs, holders, check);
    engine.bitmapAnd(matched, holders, bytes);
    if (engine.bitmapIsEmpty(matched, bytes)) return 0;
  }
  if (words.filter((runs) => runs !== null).length === 1) return matched;
  const count = engine.bitmapCount(matched, bytes);
  if (count >= MANY_DOCUMENTS && sources.keepsPairs) {
    const kept = keepPairs(sources, words, matched);
    if (kept !== null) return kept;
  }
  const context = engine.contextCreate(matched, bytes, count) >>> 0;
  const occurrences = words.map((runs) =>
    runs === null ? 0 : engine.occurrencesOf(context, sources.pack(runs), runs.length) >>> 0,
  );
  const list = reader.instance.putWords(occurrences);
  // the context reads its bitmap while documents are removed from it: a copy takes the removals
  const kept = reader.newBitmap();
  engine.bitmapCopy(kept, matched, bytes);
  const sharing = reader.view.settings.proximityPrecision === 'byAttribute' ? attributes.kinds : 0;
  return engine.phraseKeep(context, list, words.length, sharing, kept) > 0 ? kept : 0;
}

/**
 * The same from kept pairs: words that are `distance` apart in the phrase stand at most that far apart in the document. null when
 * there is no room to keep them.
 */
function keepPairs(sources: Sources, words: readonly (Run[] | null)[], matched: number): number | null {
  const { reader, engine } = sources;
  const bytes = reader.bitmapBytes;
  const kept = reader.newBitmap();
  engine.bitmapCopy(kept, matched, bytes);
  for (const [index, left] of words.entries()) {
    for (let distance = 1; distance < PHRASE_WINDOW; distance++) {
      const right = words[index + distance];
      if (!left || !right) continue;
      const near = reader.newBitmap();
      for (const from of left) {
        const to = right.find(({ segment }) => segment === from.segment);
        if (!to) continue;
        const sets = sources.pairSets(from, to, false);
        if (sets === 0) return null;
        for (let cost = 0; cost < distance; cost++) sources.spread(from, sets, cost, near);
      }
      engine.bitmapAnd(kept, near, bytes);
    }
  }
  return engine.bitmapIsEmpty(kept, bytes) ? 0 : kept;
}
