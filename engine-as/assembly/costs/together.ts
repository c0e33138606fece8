/** Finds the documents of a segment that match a phrase, by reading the postings of its words in parallel. */
import { Reader, readerCreate, readerNext, readerSeek, readPositions } from '../postings/reader';
import { alloc, arenaMark, arenaReset } from '../runtime/arena';
import { SegmentView } from '../segment/view';
import { bitmapAdd, bitmapHas } from '../sets/bitmap';
import { decodeCodes } from './positions';

/** Any two of this many consecutive words must be no further apart than in the phrase. */
export const PHRASE_WINDOW: u32 = 3;
/** In place of a term: a gap that any word or none may fill. */
export const GAP: u32 = 0xffffffff;
const ATTRIBUTE_SHIFT: u32 = 16;
const NO_DOCUMENT: u32 = 0xffffffff;
const FIRST_ROOM: u32 = 256;

/** A word of the phrase with its occurrences in the current document. */
@unmanaged
class PhraseWord {
  /** 0: a gap */
  reader: Reader;
  /** document whose occurrences were read last */
  document: u32;
  /** u32 codes, their end, and the number of bytes of positions that there is room for */
  codes: usize;
  codesEnd: usize;
  room: u32;
}

function wordAt(words: usize, index: u32): PhraseWord {
  return changetype<PhraseWord>(words + <usize>index * offsetof<PhraseWord>());
}

function isGap(word: PhraseWord): bool {
  return changetype<usize>(word.reader) === 0;
}

/**
 * Counts the documents of a segment that match a phrase, up to a limit. `terms`: u32[count], {@link GAP} for a gap; `base`: first
 * slot of the segment; `within`: bitmap over slots of the documents to consider, 0: all; `out`: bitmap over slots to which the
 * documents are added, 0: none.
 */
export function phraseDocuments(view: usize, base: u32, terms: usize, count: u32, within: usize, out: usize, limit: u32): u32 {
  const mark = arenaMark();
  const segment = changetype<SegmentView>(view);
  const words = alloc(<usize>count * offsetof<PhraseWord>());
  let rarest: u32 = 0;
  let fewest: u32 = 0xffffffff;
  for (let i: u32 = 0; i < count; i++) {
    const term = load<u32>(terms + ((<usize>i) << 2));
    const word = wordAt(words, i);
    word.reader = term === GAP ? changetype<Reader>(0) : readerCreate(segment, term);
    word.document = NO_DOCUMENT;
    word.room = 0;
    if (term === GAP) continue;
    const documents = load<u32>(segment.termDocFreq + ((<usize>term) << 2));
    if (documents >= fewest) continue;
    rarest = i;
    fewest = documents;
  }
  let found: u32 = 0;
  const leader = wordAt(words, rarest).reader;
  while (found < limit && readerNext(leader)) {
    const doc = leader.doc;
    const slot = base + doc;
    if (within !== 0 && !bitmapHas(within, slot)) continue;
    if (!areIn(words, count, rarest, doc) || !areTogether(words, count, doc)) continue;
    found++;
    if (out !== 0) bitmapAdd(out, slot);
  }
  arenaReset(mark);
  return found;
}

/** Whether a document contains the other words. */
function areIn(words: usize, count: u32, rarest: u32, doc: u32): bool {
  for (let i: u32 = 0; i < count; i++) {
    const word = wordAt(words, i);
    if (i !== rarest && !isGap(word) && !readerSeek(word.reader, doc)) return false;
  }
  return true;
}

/** Whether the words are arranged as in the phrase. */
function areTogether(words: usize, count: u32, doc: u32): bool {
  for (let distance: u32 = 1; distance < PHRASE_WINDOW; distance++) {
    for (let i: u32 = 0; i + distance < count; i++) {
      const left = wordAt(words, i);
      const right = wordAt(words, i + distance);
      if (isGap(left) || isGap(right)) continue;
      readWord(left, doc);
      readWord(right, doc);
      if (!isAfter(left, right, distance)) return false;
    }
  }
  return true;
}

function readWord(word: PhraseWord, doc: u32): void {
  if (word.document === doc) return;
  word.document = doc;
  const reader: Reader = word.reader;
  readPositions(reader);
  if (reader.positionsLength > word.room) {
    // A position takes at least a byte.
    word.room = max<u32>(FIRST_ROOM, 2 * reader.positionsLength);
    word.codes = alloc((<usize>word.room) << 2);
  }
  word.codesEnd = decodeCodes(reader.positions, reader.positionsLength, word.codes);
}

/** Whether the right word occurs at most `distance` words after the left one. */
function isAfter(left: PhraseWord, right: PhraseWord, distance: u32): bool {
  let l = left.codes;
  let r = right.codes;
  while (l < left.codesEnd && r < right.codesEnd) {
    const from = load<u32>(l);
    const to = load<u32>(r);
    if (to <= from) r += 4;
    else if (to - from > distance) l += 4;
    else if (from >>> ATTRIBUTE_SHIFT === to >>> ATTRIBUTE_SHIFT) return true;
    else l += 4;
  }
  return false;
}
