/**
 * Which words the index knows. The engine cannot tell: other memories may hold segments of it. A word that was not asked about yet counts
 * as unknown and is noted; the host answers, and has the hits written again.
 */
import { alloc, allocZeroed } from '../runtime/arena';

const BUCKETS: u32 = 256;

@unmanaged
class KnownWord {
  /** of the bucket */
  next: KnownWord | null;
  /** that was asked about before it */
  asked: KnownWord | null;
  hash: u32;
  text: usize;
  length: u32;
  isKnown: bool;
}

@unmanaged
export class KnownWords {
  /** KnownWord[BUCKETS] */
  buckets: usize;
  /** Waits for its answer, before others. */
  asked: KnownWord | null;

  has(hash: u32, word: usize, length: u32): bool {
    const bucket = this.buckets + ((<usize>(hash & (BUCKETS - 1))) << 2);
    const first = changetype<KnownWord | null>(<usize>load<u32>(bucket));
    let known = first;
    while (known !== null) {
      if (known.hash === hash && known.length === length && memory.compare(known.text, word, length) === 0) return known.isKnown;
      known = known.next;
    }
    const added = changetype<KnownWord>(alloc(offsetof<KnownWord>()));
    added.next = first;
    added.asked = this.asked;
    added.hash = hash;
    added.text = alloc(length);
    memory.copy(added.text, word, length);
    added.length = length;
    added.isKnown = false;
    store<u32>(bucket, <u32>changetype<usize>(added));
    this.asked = added;
    return false;
  }

  /** Takes the answer about the word that waits first. */
  answer(isKnown: bool): void {
    const word = this.asked;
    if (word === null) return;
    word.isKnown = isKnown;
    this.asked = word.asked;
  }
}

export function knownWordsCreate(): KnownWords {
  const known = changetype<KnownWords>(allocZeroed(offsetof<KnownWords>()));
  known.buckets = allocZeroed((<usize>BUCKETS) << 2);
  return known;
}
