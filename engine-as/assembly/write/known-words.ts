/** Which words occur in live documents of the index; each is looked up once. */
import { liveTermIn } from '../derive/segment-terms';
import { Segments } from '../plan/segments';
import { payloadOf, REQUEST_TERM, requestFor, sendRequest } from '../remote/request';
import { alloc, allocZeroed } from '../runtime/arena';

const BUCKETS: u32 = 256;

@unmanaged
class KnownWord {
  /** of the bucket */
  next: KnownWord | null;
  hash: u32;
  text: usize;
  length: u32;
  isKnown: bool;
}

@unmanaged
export class KnownWords {
  segments: Segments;
  /** KnownWord[BUCKETS] */
  buckets: usize;

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
    added.hash = hash;
    added.text = alloc(length);
    memory.copy(added.text, word, length);
    added.length = length;
    added.isKnown = this.inIndex(added.text, length);
    store<u32>(bucket, <u32>changetype<usize>(added));
    return added.isKnown;
  }

  private inIndex(word: usize, length: u32): bool {
    for (let number: u32 = 0; number < this.segments.count; number++) {
      const segment = this.segments.at(number);
      let term: i32;
      if (segment.isHere) {
        term = liveTermIn(segment.view, segment.tombstones, word, length);
      } else {
        const request = requestFor(segment, REQUEST_TERM, length);
        memory.copy(payloadOf(request), word, length);
        term = load<i32>(sendRequest(number, request));
      }
      if (term >= 0) return true;
    }
    return false;
  }
}

export function knownWordsCreate(segments: Segments): KnownWords {
  const known = changetype<KnownWords>(alloc(offsetof<KnownWords>()));
  known.segments = segments;
  known.buckets = allocZeroed((<usize>BUCKETS) << 2);
  return known;
}
