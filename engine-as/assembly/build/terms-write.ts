/** The dictionary and the postings of a segment, from the words of its builder. */

import { lettersOf } from '../automata/letters';
import { keyFilterAdd, keyFilterBytes, keyFilterCreate } from '../dictionary/key-filter';
import { isSampled, SAMPLED, textKey } from '../dictionary/samples';
import { alloc } from '../runtime/arena';
import { Buffer, bufferCreate, bufferPush32, bufferPush64 } from '../runtime/buffer';
import { CACHE_LINE } from '../runtime/cache-line';
import { prefetch } from '../runtime/prefetch';
import { commonBytes, copyText } from '../runtime/text-bytes';
import { Samples, TERM_BITMAP, TermsHeader } from '../segment/layout';
import { SECTION_KEY_FILTER, SECTION_LETTERS, SECTION_POSTINGS, SECTION_SAMPLES, SECTION_TERMS } from '../segment/section-kinds';
import { sectionAlign, sectionAppend, sectionAppendBuffer, sectionBegin, sectionEnd, sectionOf } from '../segment/writer';
import { adjacentBegin, adjacentTerm } from './adjacent-terms';
import { writeDocumentWords } from './document-words';
import { encodeBegin, encodesBitmap, encodeTerm } from './encode-postings';
import { findRunsAdd, findRunsBegin, findRunsEnd } from './find-runs';
import { leastOfPrefix, leastOfTerm, longRunsBegin, longRunsTerm, writeLongRuns } from './long-runs';
import { collectedOccurrences, collectOccurrences, occurrencesBegin, releaseOccurrences } from './occurrences';
import { numberedTerm, sortedTerm, sortTerms } from './sorted-terms';
import { splitsBegin, splitsTerm } from './splits';
import { termText } from './term';
import { wordStreamEnd } from './word-stream';
import { wordCount, wordTextBytes } from './word-table';

const MAX_LCP: u32 = 255;
/** Texts are copied in words of 8 bytes. */
const SPARE_BYTES: usize = 8;
/** How many terms ahead the records are prefetched. */
const TERMS_AHEAD: u32 = 16;

/** Writes the sections of terms, postings, samples, words of documents, followers, predecessors, splits and long runs. */
export function writeTerms(docCount: u32): void {
  const count = wordCount();
  wordStreamEnd(docCount);
  sortTerms();
  const starts = alloc((<usize>count + 1) << 2);
  const lcps = alloc(count);
  const branches = alloc((<usize>count) << 1);
  const docFreqs = alloc((<usize>count) << 2);
  const flags = alloc(count);
  const postings = alloc((<usize>count) << 2);

  const texts = alloc(<usize>wordTextBytes() + SPARE_BYTES);
  let bytes: u32 = 0;
  let previous: u32 = 0;
  findRunsBegin(leastOfPrefix(docCount), leastOfTerm(docCount));
  adjacentBegin(docCount);
  splitsBegin();
  for (let i: u32 = 0; i < count; i++) {
    const term = sortedTerm(i);
    prefetchLater(i, count);
    const text = texts + bytes;
    copyText(text, termText(term), term.length);
    const shared = commonBytes(text - previous, text, min<u32>(min<u32>(previous, term.length), MAX_LCP));
    store<u32>(starts + ((<usize>i) << 2), bytes);
    bytes += term.length;
    previous = term.length;
    store<u8>(lcps + i, shared);
    store<u8>(branches + i, load<u8>(text + shared));
    store<u8>(branches + count + i, shared + 1 < term.length ? load<u8>(text + shared, 1) : 0);
    store<u32>(docFreqs + ((<usize>i) << 2), term.docFreq);
    const numbered = numberedTerm(term.number);
    numbered.index = i;
    numbered.docFreq = term.docFreq;
    findRunsAdd(i, termText(term), term.length, shared, term.docFreq);
    adjacentTerm(i, term.docFreq);
    splitsTerm(term, text, shared);
  }
  store<u32>(starts + ((<usize>count) << 2), bytes);
  longRunsBegin(findRunsEnd(count), docCount);

  sectionBegin();
  encodeBegin(docCount);
  occurrencesBegin(count);
  for (let from: u32 = 0; from < count; ) {
    const to = collectOccurrences(from, count);
    let occurrences = collectedOccurrences();
    for (; from < to; from++) {
      const term = sortedTerm(from);
      const withBitmap = encodesBitmap(term.docFreq, docCount);
      longRunsTerm(from, term.flags);
      const start = encodeTerm(term, occurrences, withBitmap);
      occurrences += term.occurrenceBytes;
      store<u8>(flags + from, withBitmap ? term.flags | TERM_BITMAP : term.flags);
      store<u32>(postings + ((<usize>from) << 2), <u32>(start >> 2));
    }
  }
  releaseOccurrences();
  sectionEnd(SECTION_POSTINGS, 0);
  writeDictionary(count, texts, starts, lcps, branches, docFreqs, flags, postings);
  if (isSampled(count)) {
    writeSamples(count, texts, starts, lcps);
    writeKeyFilter(count, texts, starts);
    writeLetters(count, texts, starts);
  }
  writeDocumentWords(docCount, count);
  writeLongRuns(count);
}

/** Prefetches a later term: terms are in memory in the order of their first occurrence, so each access is a cache miss. */
function prefetchLater(index: u32, count: u32): void {
  const later = index + TERMS_AHEAD;
  if (later >= count) return;
  const term = changetype<usize>(sortedTerm(later));
  prefetch(term);
  // its text
  prefetch(term + CACHE_LINE);
}

function writeDictionary(
  count: u32,
  texts: usize,
  starts: usize,
  lcps: usize,
  branches: usize,
  docFreqs: usize,
  flags: usize,
  postings: usize,
): void {
  sectionBegin();
  const header = changetype<TermsHeader>(alloc(offsetof<TermsHeader>()));
  header.termCount = count;
  header.startsOffset = <u32>offsetof<TermsHeader>();
  header.docFreqOffset = header.startsOffset + ((count + 1) << 2);
  header.postingsOffset = header.docFreqOffset + (count << 2);
  header.flagsOffset = header.postingsOffset + (count << 2);
  header.lcpOffset = header.flagsOffset + count;
  header.branchesOffset = header.lcpOffset + count;
  header.bytesOffset = header.branchesOffset + 2 * count;
  sectionAppend(changetype<usize>(header), offsetof<TermsHeader>());
  sectionAppend(starts, (<usize>count + 1) << 2);
  sectionAppend(docFreqs, (<usize>count) << 2);
  sectionAppend(postings, (<usize>count) << 2);
  sectionAppend(flags, count);
  sectionAppend(lcps, count);
  sectionAppend(branches, (<usize>count) << 1);
  sectionAppend(texts, load<u32>(starts + ((<usize>count) << 2)));
  // Texts may be read in whole words past the last one.
  sectionAlign(8);
  sectionEnd(SECTION_TERMS, 0);
}

/** `texts`, `starts`: as in the section of terms; `lcps`: u8[count], the bytes that each term shares with the one before. */
function writeSamples(count: u32, texts: usize, starts: usize, lcps: usize): void {
  const keys = bufferCreate((<usize>count / SAMPLED + 1) << 3);
  const firsts = bufferCreate(256);
  for (let i: u32 = 0; i < count; i++) {
    const start = load<u32>(starts + ((<usize>i) << 2));
    const text = texts + start;
    if (i % SAMPLED === 0) bufferPush64(keys, textKey(text, load<u32>(starts + ((<usize>i) << 2), 4) - start));
    if (i === 0 || load<u8>(lcps + i) < firstBytes(text)) bufferPush32(firsts, i);
  }
  const header = changetype<Samples>(alloc(offsetof<Samples>()));
  header.count = <u32>(changetype<Buffer>(keys).length >> 3);
  header.firstCount = <u32>(changetype<Buffer>(firsts).length >> 2);
  sectionBegin();
  sectionAppend(changetype<usize>(header), offsetof<Samples>());
  sectionAppendBuffer(keys);
  sectionAppendBuffer(firsts);
  sectionEnd(SECTION_SAMPLES, 0);
}

/** `texts`, `starts`: as in the section of terms. */
function writeKeyFilter(count: u32, texts: usize, starts: usize): void {
  const filter = keyFilterCreate(count);
  for (let i: u32 = 0; i < count; i++) {
    const start = starts + ((<usize>i) << 2);
    keyFilterAdd(filter, texts + load<u32>(start), load<u32>(start, 4) - load<u32>(start));
  }
  sectionOf(SECTION_KEY_FILTER, 0, changetype<usize>(filter), keyFilterBytes(filter.words));
}

/** `texts`, `starts`: as in the section of terms. */
function writeLetters(count: u32, texts: usize, starts: usize): void {
  const letters = alloc((<usize>count) << 2);
  for (let i: u32 = 0; i < count; i++) {
    const start = starts + ((<usize>i) << 2);
    store<u32>(letters + ((<usize>i) << 2), lettersOf(texts + load<u32>(start), load<u32>(start, 4) - load<u32>(start)));
  }
  sectionOf(SECTION_LETTERS, 0, letters, (<usize>count) << 2);
}

/** Bytes of the code point that begins at an address. */
function firstBytes(at: usize): u32 {
  const byte: u32 = load<u8>(at);
  return byte < 0x80 ? 1 : byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4;
}
