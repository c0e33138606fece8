import type { AttributeTable } from './attributes.js';
import { keptResults } from './kept-results.js';
import { isLarge } from './partitions.js';
import type { Pair, Run, Sources } from './runs.js';

/** Every two words of so many neighbours must stand near each other. */
const PHRASE_WINDOW = 3;

/** The runs of each word, null for a gap, which any word or none may fill. */
type PhraseWords = readonly (Run[] | null)[];

/** Documents of a bitmap that match a phrase: address of a new bitmap, or 0 when there is none. */
export function matchPhrase(sources: Sources, attributes: AttributeTable, words: PhraseWords, within: number): number {
  const { reader, engine } = sources;
  const bytes = reader.bitmapBytes;
  const filled = words.filter((runs) => runs !== null);
  const holders = filled.map((runs) => holdersOf(sources, attributes, runs));
  const matched = intersection(sources, [within, ...holders]);
  const count = engine.bitmapCount(matched, bytes);
  if (count === 0) return 0;
  if (filled.length === 1) return matched;
  const documents = isLarge(count, sources) ? keptDocuments(sources, attributes, words, holders) : 0;
  if (documents === 0) return narrow(sources, attributes, words, matched, count) ? matched : 0;
  engine.bitmapAnd(matched, documents, bytes);
  return engine.bitmapIsEmpty(matched, bytes) ? 0 : matched;
}

/** A new bitmap of the documents of all of them. */
function intersection({ reader, engine }: Sources, [first, ...others]: readonly number[]): number {
  const documents = reader.newBitmap();
  engine.bitmapCopy(documents, first as number, reader.bitmapBytes);
  for (const other of others) engine.bitmapAnd(documents, other, reader.bitmapBytes);
  return documents;
}

/** Documents that hold a word in a searched attribute: a new bitmap. */
function holdersOf(sources: Sources, { kinds, restricted }: AttributeTable, runs: readonly Run[]): number {
  const holders = sources.reader.newBitmap();
  sources.orInto(runs, holders, { attributes: kinds, restricted, tolerantOnly: false });
  return holders;
}

/** All documents that match a phrase, deleted ones too, of a set that is kept: a new bitmap; 0 when nothing can be kept. */
function keptDocuments(sources: Sources, attributes: AttributeTable, words: PhraseWords, holders: readonly number[]): number {
  if (!sources.canKeepPairs || attributes.restricted) return 0;
  const [left, right] = words;
  // a pair serves the proximity of its words too
  if (words.length === 2 && left && right) return nearDocuments(sources, left, right, 1, Number.POSITIVE_INFINITY);
  const { reader, engine } = sources;
  const kept = keptPhrase(sources, attributes, words, holders);
  if (kept === 0) return 0;
  const documents = reader.newBitmap();
  engine.spreadCostSet(kept, 0, documents);
  return documents;
}

/** CostSets of one cost: all documents that match a phrase, deleted ones too; 0 when there is no room. */
function keptPhrase(sources: Sources, attributes: AttributeTable, words: PhraseWords, holders: readonly number[]): number {
  const { reader, engine } = sources;
  const bytes = reader.bitmapBytes;
  const make = () => {
    const matched = intersection(sources, holders);
    narrow(sources, attributes, words, matched, engine.bitmapCount(matched, bytes));
    return engine.keepCostSets(matched, bytes, 1);
  };
  return keptResults(reader.instance).own(
    phraseKey(sources, words),
    () => bytes,
    () => reader.instance.scoped(make),
  );
}

function phraseKey(sources: Sources, words: PhraseWords): string {
  let key = `phrase ${sources.segmentsKey}`;
  for (const runs of words) {
    key += ' /';
    for (const { segment, from } of runs ?? []) key += ` ${segment}:${from}`;
  }
  return key;
}

/**
 * Takes the documents out of a bitmap of `count` where words that are `distance` apart in the phrase stand further apart: by kept
 * pairs as far as there are any, then by reading what is left. Is there anything left?
 */
function narrow(sources: Sources, attributes: AttributeTable, words: PhraseWords, matched: number, count: number): boolean {
  const { reader, engine } = sources;
  const bytes = reader.bitmapBytes;
  const unread: [Run[], Run[], number][] = [];
  const asksForPairs = sources.canKeepPairs && isLarge(count, sources);
  for (let distance = 1; distance < PHRASE_WINDOW; distance++) {
    for (const [index, from] of words.entries()) {
      const to = words[index + distance];
      if (!from || !to) continue;
      const near = asksForPairs ? nearDocuments(sources, from, to, distance, count) : 0;
      if (near === 0) unread.push([from, to, distance]);
      else engine.bitmapAnd(matched, near, bytes);
    }
  }
  const sharing = reader.view.settings.proximityPrecision === 'byAttribute' ? attributes.kinds : 0;
  let left = engine.bitmapCount(matched, bytes);
  for (const [from, to, distance] of unread) {
    if (left === 0) break;
    const [fromSources, toSources] = [sources.pack(from), sources.pack(to)];
    left = engine.keepNear(matched, bytes, left, fromSources, from.length, toSources, to.length, distance, sharing);
  }
  return left > 0;
}

/**
 * All documents where two words stand near each other, of kept pairs: a new bitmap; 0 when these are not worth their price yet, where
 * `postings` would be read without them.
 */
function nearDocuments(sources: Sources, from: Run[], to: Run[], distance: number, postings: number): number {
  const pairs = from.flatMap((left) =>
    to.filter(({ segment }) => segment === left.segment).map((right): Pair => [left, right, false]),
  );
  if (!sources.keepsPairSets(pairs, postings)) return 0;
  const near = sources.reader.newBitmap();
  for (const pair of pairs) {
    const sets = sources.pairSets(pair);
    for (let cost = 0; cost < distance; cost++) sources.spread(pair[0], sets, cost, near);
  }
  return near;
}
