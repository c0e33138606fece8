/** Phrases: every pair of words within a window of three stands no further apart than in the phrase. */
import { bitmapRemove } from '../sets/bitmap';
import { nearest, shareAttribute } from './components';
import { Context } from './context';
import { Occurrences } from './occurrences';

const PHRASE_WINDOW: u32 = 3;

function wordAt(words: usize, index: u32): usize {
  return load<u32>(words + ((<usize>index) << 2));
}

/**
 * Removes from the bitmap of a context the documents that do not match a phrase. `words`: u32[count] addresses of Occurrences, 0
 * for a gap. `attributes`: not 0 when it is enough that two words share a searched attribute. Answers how many documents stay.
 */
export function phraseKeep(contextPointer: usize, words: usize, count: u32, attributes: usize, bitmap: usize): u32 {
  const context = changetype<Context>(contextPointer);
  let kept: u32 = 0;
  for (let i: u32 = 0; i < context.count; i++) {
    if (matches(words, count, i, attributes)) kept++;
    else bitmapRemove(bitmap, load<u32>(context.slots + ((<usize>i) << 2)));
  }
  return kept;
}

function matches(words: usize, count: u32, index: u32, attributes: usize): bool {
  for (let x: u32 = 0; x < count; x++) {
    const left = wordAt(words, x);
    if (!left) continue;
    const end = min<u32>(count, x + PHRASE_WINDOW);
    for (let y = x + 1; y < end; y++) {
      const right = wordAt(words, y);
      if (!right) continue;
      if (attributes) {
        if (!shareAttribute(changetype<Occurrences>(left), changetype<Occurrences>(right), index, attributes)) return false;
      } else if (nearest(changetype<Occurrences>(left), changetype<Occurrences>(right), index) > y - x) return false;
    }
  }
  return true;
}
