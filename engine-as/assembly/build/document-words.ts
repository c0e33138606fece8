/** Writes the words of each document in order: the terms get their numbers in the segment. */
import { alloc } from '../runtime/arena';
import { BLOCK_BYTES } from '../runtime/blocks';
import { DocumentWordsHeader, WORDS_SPARE } from '../segment/layout';
import { SECTION_DOC_WORDS } from '../segment/section-kinds';
import { MAX_WIDTH, MIN_WIDTH } from '../segment/words-code';
import { sectionAppend, sectionBegin, sectionEnd } from '../segment/writer';
import { adjacentBreak, adjacentWord, adjacentWords, writeAdjacent } from './adjacent-terms';
import { foundListsBegin } from './grouped-documents';
import { numberedTerm } from './sorted-terms';
import { splitsBreak, splitsWord, splitsWords, writeSplits } from './splits';
import {
  ATTRIBUTE,
  documentEntries,
  HALF_BYTES,
  MAX_SKIP,
  releaseWordBlock,
  SKIP,
  termOfEntry,
  WIDE_TERM,
  wordAttributes,
  wordBlock,
  wordBlockEnd,
  wordBlocks,
} from './word-stream';

/** Bits of an entry in a segment with this many terms. */
function widthOf(terms: u32): u32 {
  const entries = terms + wordAttributes() + MAX_SKIP + 1;
  return max<u32>(MIN_WIDTH, 32 - clz<u32>(entries - 1));
}

/** Writes SECTION_DOC_WORDS, SECTION_FOLLOWERS, SECTION_PREDECESSORS and SECTION_SPLITS. The numbers of terms are known. */
export function writeDocumentWords(documents: u32, terms: u32): void {
  const width = widthOf(terms);
  if (width > MAX_WIDTH) return;
  const header = changetype<DocumentWordsHeader>(alloc(offsetof<DocumentWordsHeader>()));
  header.width = width;
  header.firstAttribute = terms;
  header.firstSkip = terms + wordAttributes();
  header.reserved = 0;
  sectionBegin();
  sectionAppend(changetype<usize>(header), offsetof<DocumentWordsHeader>());
  const firstBytes = alloc((<usize>documents + 1) << 2);
  setFirstBytes(firstBytes, documents, width);
  sectionAppend(firstBytes, (<usize>documents + 1) << 2);
  writeEntries(header);
  const spare = alloc(WORDS_SPARE);
  memory.fill(spare, 0, WORDS_SPARE);
  sectionAppend(spare, WORDS_SPARE);
  sectionEnd(SECTION_DOC_WORDS, 0);
  writeAdjacent(terms);
  writeSplits();
}

/** Fills u32[documents + 1]: the byte at which the entries of each document begin. */
function setFirstBytes(out: usize, documents: u32, width: u32): void {
  const firstEntries = documentEntries();
  let byte: u32 = 0;
  for (let document: usize = 0; document < <usize>documents; document++) {
    store<u32>(out + (document << 2), byte);
    const entries = load<u32>(firstEntries + (document << 2), 4) - load<u32>(firstEntries + (document << 2));
    byte += (entries * width + 7) >>> 3;
  }
  store<u32>(out + ((<usize>documents) << 2), byte);
}

/** Writes the entries of all documents; the words are read for the last time. */
function writeEntries(header: DocumentWordsHeader): void {
  const width = header.width;
  const firstEntries = documentEntries();
  // An entry may take an extra byte where a document ends, and some bits may be left over from the block before.
  const work = alloc((BLOCK_BYTES / HALF_BYTES) * (((<usize>width + 7) >>> 3) + 1) + 16);
  foundListsBegin();
  adjacentWords();
  splitsWords();
  let document: u32 = 0;
  let documentEnd = load<u32>(firstEntries, 4);
  let index: u32 = 0;
  let waiting: u64 = 0;
  let bits: u32 = 0;
  for (let block: u32 = 0; block < wordBlocks(); block++) {
    const end = wordBlockEnd(block);
    let out = work;
    for (let at = wordBlock(block); at < end; at += HALF_BYTES) {
      const entry: u32 = load<u16>(at);
      let value: u32;
      if (entry < SKIP) {
        const number = termOfEntry(entry, at);
        if (entry >= WIDE_TERM) at += HALF_BYTES;
        const term = numberedTerm(number);
        value = term.index;
        adjacentWord(value, term.docFreq, document);
        splitsWord(number, document);
      } else {
        // An attribute begins, maybe in the next document; or positions are skipped.
        if (entry === ATTRIBUTE) {
          at += HALF_BYTES;
          value = header.firstAttribute + <u32>load<u16>(at);
        } else {
          value = header.firstSkip + entry - SKIP;
        }
        if (documentEnd <= index) {
          for (; bits > 0; bits -= min<u32>(bits, 8)) {
            store<u8>(out++, waiting);
            waiting >>= 8;
          }
          while (documentEnd <= index) documentEnd = load<u32>(firstEntries + ((<usize>++document) << 2), 4);
        }
        adjacentBreak();
        splitsBreak();
      }
      waiting |= (<u64>value) << bits;
      bits += width;
      if (bits >= 32) {
        store<u32>(out, <u32>waiting);
        out += 4;
        waiting >>= 32;
        bits -= 32;
      }
      index++;
    }
    sectionAppend(work, out - work);
    releaseWordBlock(block);
  }
  for (; bits > 0; bits -= min<u32>(bits, 8)) {
    store<u8>(work, waiting);
    waiting >>= 8;
    sectionAppend(work, 1);
  }
}
