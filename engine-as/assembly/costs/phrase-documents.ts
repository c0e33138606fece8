/** Finds the documents of a segment that match a phrase, from the postings of its words. */
import { postingsOrInto } from '../postings/decode';
import { Reader, readerCreate, readerNext, readerSeek, readPositions } from '../postings/reader';
import { alloc, allocZeroed, arenaMark, arenaReset } from '../runtime/arena';
import { bitmapBytes } from '../segment/layout';
import { SegmentView } from '../segment/view';
import { bitmapAdd, bitmapCount, bitmapHas } from '../sets/bitmap';
import { decodeCodes } from './positions';

/** Any two of this many consecutive words must be no further apart than in the phrase. */
export const PHRASE_WINDOW: u32 = 3;
/** In place of a term: a gap that any word or none may fill. */
export const GAP: u32 = 0xffffffff;
const ATTRIBUTE_SHIFT: u32 = 16;
const NO_DOCUMENT: u32 = 0xffffffff;
const FIRST_ROOM: u32 = 256;
/** Bytes of a bitmap that are tested at once. */
const LANE: usize = 16;

/** A word of the phrase with its occurrences in the current document. */
@unmanaged
class PhraseWord {
  /** 0: a gap */
  reader: Reader;
  /** number of documents of the segment that contain it */
  documents: u32;
  /** document whose occurrences were read last */
  document: u32;
  /** u32 codes, their end, and the number of bytes of positions that there is room for */
  codes: usize;
  codesEnd: usize;
  room: u32;
}

/** A phrase in a segment. */
@unmanaged
class SegmentPhrase {
  view: SegmentView;
  count: u32;
  /** u32[count] */
  terms: usize;
  /** PhraseWord[count] */
  words: usize;
  /** the word in the fewest documents */
  rarest: PhraseWord;
  /** bit i: word i + 1 directly follows word i in all documents that are considered */
  known: u32;
  /** u32[bitmapCount]: bitmaps of which only common documents are considered */
  bitmaps: usize;
  bitmapCount: u32;
}

function wordAt(phrase: SegmentPhrase, index: u32): PhraseWord {
  return changetype<PhraseWord>(phrase.words + <usize>index * offsetof<PhraseWord>());
}

function termAt(phrase: SegmentPhrase, index: u32): u32 {
  return load<u32>(phrase.terms + ((<usize>index) << 2));
}

function isGap(word: PhraseWord): bool {
  return changetype<usize>(word.reader) === 0;
}

/**
 * Counts the documents of a segment that match a phrase, up to a limit. `terms`: u32[count], {@link GAP} for a gap; `base`: first
 * slot of the segment; `within`: bitmap over slots of the documents to consider, 0: all; `known`: bit i: in all of these, word i + 1
 * directly follows word i; `out`: bitmap over slots to which the documents are added, 0: none.
 */
export function phraseDocuments(
  view: usize,
  base: u32,
  terms: usize,
  count: u32,
  within: usize,
  known: u32,
  out: usize,
  limit: u32,
): u32 {
  const mark = arenaMark();
  const phrase = phraseCreate(changetype<SegmentView>(view), terms, count);
  phrase.known = known;
  const own: usize = within === 0 ? 0 : within + (base >>> 3);
  const bytes = bitmapBytes(phrase.view.docCount);
  addBitmaps(phrase, known === 0 ? phrase.rarest.documents : bitmapCount(own, bytes));
  const areInBitmaps = setBitmaps(phrase, own);
  const found =
    areInBitmaps || known !== 0
      ? countOf(phrase, bytes, areInBitmaps, base, out, limit)
      : countOfRarest(phrase, base, within, out, limit);
  arenaReset(mark);
  return found;
}

function phraseCreate(view: SegmentView, terms: usize, count: u32): SegmentPhrase {
  const phrase = changetype<SegmentPhrase>(alloc(offsetof<SegmentPhrase>()));
  phrase.view = view;
  phrase.count = count;
  phrase.terms = terms;
  phrase.words = alloc(<usize>count * offsetof<PhraseWord>());
  phrase.rarest = changetype<PhraseWord>(0);
  for (let i: u32 = 0; i < count; i++) {
    const term = termAt(phrase, i);
    const word = wordAt(phrase, i);
    word.reader = term === GAP ? changetype<Reader>(0) : readerCreate(view, term);
    word.document = NO_DOCUMENT;
    word.room = 0;
    if (term === GAP) continue;
    word.documents = load<u32>(view.termDocFreq + ((<usize>term) << 2));
    if (changetype<usize>(phrase.rarest) === 0 || word.documents < phrase.rarest.documents) phrase.rarest = word;
  }
  return phrase;
}

/**
 * Cost model: seeking a document in the postings of a term costs as much as adding this many of its documents to a bitmap, or
 * clearing this many bytes.
 */
const POSTINGS_PER_SEEK: u32 = 32;
const BYTES_PER_SEEK: u32 = 1024;

/** Whether the documents that are considered are known to contain a word. */
function isContained(phrase: SegmentPhrase, index: u32): bool {
  return ((phrase.known >>> index) & 1) !== 0 || (index > 0 && ((phrase.known >>> (index - 1)) & 1) !== 0);
}

/**
 * Makes bitmaps of the documents of terms that segments store without one, where seeking as many documents as are considered costs
 * more.
 */
function addBitmaps(phrase: SegmentPhrase, considered: u32): void {
  const bytes = bitmapBytes(phrase.view.docCount);
  for (let i: u32 = 0; i < phrase.count; i++) {
    const word = wordAt(phrase, i);
    if (isGap(word) || word.reader.bitmap !== 0) continue;
    if (bytes / BYTES_PER_SEEK + word.documents / POSTINGS_PER_SEEK >= considered) continue;
    const bitmap = allocZeroed(bytes);
    postingsOrInto(changetype<usize>(phrase.view), termAt(phrase, i), bitmap);
    word.reader.bitmap = bitmap;
  }
}

/** Collects the bitmaps that restrict the documents. Returns false when a word has none. */
function setBitmaps(phrase: SegmentPhrase, within: usize): bool {
  phrase.bitmaps = alloc((<usize>phrase.count + 1) << 2);
  phrase.bitmapCount = 0;
  let areAll = true;
  if (within !== 0) pushBitmap(phrase, within);
  for (let i: u32 = 0; i < phrase.count; i++) {
    const word = wordAt(phrase, i);
    if (isGap(word) || isContained(phrase, i)) continue;
    if (word.reader.bitmap !== 0) pushBitmap(phrase, word.reader.bitmap);
    else areAll = false;
  }
  return areAll;
}

function pushBitmap(phrase: SegmentPhrase, bitmap: usize): void {
  store<u32>(phrase.bitmaps + ((<usize>phrase.bitmapCount) << 2), <u32>bitmap);
  phrase.bitmapCount++;
}

/** Counts the matches among the documents that all bitmaps have. `areAllIn`: these contain all words. */
function countOf(phrase: SegmentPhrase, bytes: u32, areAllIn: bool, base: u32, out: usize, limit: u32): u32 {
  const first: usize = load<u32>(phrase.bitmaps);
  const end = phrase.bitmaps + ((<usize>phrase.bitmapCount) << 2);
  let found: u32 = 0;
  for (let lane: usize = 0; lane < bytes; lane += LANE) {
    let common = v128.load(first + lane);
    for (let at = phrase.bitmaps + 4; at < end; at += 4) common = v128.and(common, v128.load(<usize>load<u32>(at) + lane));
    // Most words share few documents.
    if (!v128.any_true(common)) continue;
    found += countIn(phrase, i64x2.extract_lane(common, 0), <u32>(lane << 3), areAllIn, base, out, limit - found);
    if (found === limit) return found;
    found += countIn(phrase, i64x2.extract_lane(common, 1), <u32>(lane << 3) + 64, areAllIn, base, out, limit - found);
    if (found === limit) return found;
  }
  return found;
}

/** The same for 64 documents from `from` on. */
function countIn(phrase: SegmentPhrase, common: u64, from: u32, areAllIn: bool, base: u32, out: usize, limit: u32): u32 {
  let found: u32 = 0;
  for (let bits = common; bits !== 0 && found < limit; bits &= bits - 1) {
    const doc = from + <u32>ctz<u64>(bits);
    if (!areAllIn && !areIn(phrase, doc)) continue;
    if (!matchesPhrase(phrase, doc)) continue;
    if (out !== 0) bitmapAdd(out, base + doc);
    found++;
  }
  return found;
}

/** Counts the matches among the documents of the rarest word. */
function countOfRarest(phrase: SegmentPhrase, base: u32, within: usize, out: usize, limit: u32): u32 {
  let found: u32 = 0;
  const rarest = phrase.rarest.reader;
  while (found < limit && readerNext(rarest)) {
    const doc = rarest.doc;
    if (within !== 0 && !bitmapHas(within, base + doc)) continue;
    if (!areIn(phrase, doc) || !matchesPhrase(phrase, doc)) continue;
    found++;
    if (out !== 0) bitmapAdd(out, base + doc);
  }
  return found;
}

/** Whether a document contains all words. */
function areIn(phrase: SegmentPhrase, doc: u32): bool {
  for (let i: u32 = 0; i < phrase.count; i++) {
    const word = wordAt(phrase, i);
    if (!isGap(word) && !readerSeek(word.reader, doc)) return false;
  }
  return true;
}

/** Whether the words are arranged as in the phrase in a document that contains all of them. */
function matchesPhrase(phrase: SegmentPhrase, doc: u32): bool {
  for (let distance: u32 = 1; distance < PHRASE_WINDOW; distance++) {
    for (let i: u32 = 0; i + distance < phrase.count; i++) {
      const left = wordAt(phrase, i);
      const right = wordAt(phrase, i + distance);
      if (isGap(left) || isGap(right) || (distance === 1 && (phrase.known >>> i) & 1)) continue;
      if (!isAfter(read(left, doc), read(right, doc), distance)) return false;
    }
  }
  return true;
}

/** Reads the occurrences of a word in a document that contains it, which must not be less than those of earlier calls. */
function read(word: PhraseWord, doc: u32): PhraseWord {
  if (word.document === doc) return word;
  word.document = doc;
  const reader: Reader = word.reader;
  readerSeek(reader, doc);
  readPositions(reader);
  if (reader.positionsLength > word.room) {
    // A position takes at least a byte.
    word.room = max<u32>(FIRST_ROOM, 2 * reader.positionsLength);
    word.codes = alloc((<usize>word.room) << 2);
  }
  word.codesEnd = decodeCodes(reader.positions, reader.positionsLength, word.codes);
  return word;
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
