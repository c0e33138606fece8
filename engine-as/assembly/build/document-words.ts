/** Writes the words of each document in order. They are recorded as terms, whose numbers are only known at the end. */
import { alloc } from '../runtime/arena';
import { Buffer, bufferCreate, bufferPush32 } from '../runtime/buffer';
import { PAGE_BYTES } from '../runtime/pages';
import { DocumentWordsHeader, WORDS_SPARE } from '../segment/layout';
import { SECTION_DOC_WORDS } from '../segment/section-kinds';
import { MAX_WIDTH, MIN_WIDTH } from '../segment/words-code';
import { sectionAppend, sectionBegin, sectionEnd } from '../segment/writer';
import { followersBreak, followersWord, followersWords, writeFollowers } from './followers';
import { splitsBreak, splitsWord, splitsWords, writeSplits } from './splits';
import { Term } from './term';

/** The low bits of a recorded entry: the address of a Term, which is a multiple of 4, an attribute or a number of skipped positions. */
const KIND_TERM: u32 = 0;
const KIND_ATTRIBUTE: u32 = 1;
const KIND_SKIP: u32 = 2;
const KIND_BITS: u32 = 2;
const KIND_MASK: u32 = (1 << KIND_BITS) - 1;
/** More positions without a word take several entries, so that few entry values are reserved for them. */
const MAX_SKIP: u32 = 255;

/** Buffer of u32 addresses of pages of entries, all full but the last */
let pages: usize = 0;
/** Buffer of u32: the first entry of each document up to the one that was recorded last */
let starts: usize = 0;
let at: usize = 0;
let pageEnd: usize = 0;
let count: u32 = 0;
let attributeCount: u32 = 0;
/** of the word that was recorded last: its document and attribute, and the position after it */
let lastDocument: u32 = 0;
let lastAttribute: u32 = 0;
let next: u32 = 0;

export function documentWordsBegin(): void {
  pages = bufferCreate(256);
  starts = bufferCreate(1 << 14);
  at = 0;
  pageEnd = 0;
  count = 0;
  attributeCount = 0;
  lastDocument = 0xffffffff;
}

/** Sets the first entry of the documents before `documents` that have none yet: those without words begin and end at the current count. */
function startDocuments(documents: u32): void {
  const begun = <u32>(changetype<Buffer>(starts).length >> 2);
  for (let document = begun; document < documents; document++) bufferPush32(starts, count);
}

function push(entry: u32): void {
  if (at === pageEnd) {
    at = alloc(PAGE_BYTES);
    pageEnd = at + PAGE_BYTES;
    bufferPush32(pages, <u32>at);
  }
  store<u32>(at, entry);
  at += 4;
  count++;
}

/** Records an occurrence; positions of an attribute ascend. */
export function documentWordsAdd(term: Term, document: u32, attribute: u32, position: u32): void {
  if (document !== lastDocument || attribute !== lastAttribute) {
    if (document !== lastDocument) startDocuments(document + 1);
    push((attribute << KIND_BITS) | KIND_ATTRIBUTE);
    attributeCount = max<u32>(attributeCount, attribute + 1);
    lastDocument = document;
    lastAttribute = attribute;
    next = 0;
  }
  for (let left = position - next; left > 0; ) {
    const skipped = min<u32>(left, MAX_SKIP);
    push((skipped << KIND_BITS) | KIND_SKIP);
    left -= skipped;
  }
  push(<u32>changetype<usize>(term) | KIND_TERM);
  next = position + 1;
}

/** Bits of an entry in a segment with this many terms. */
function widthOf(terms: u32): u32 {
  const entries = terms + attributeCount + MAX_SKIP + 1;
  return max<u32>(MIN_WIDTH, 32 - clz<u32>(entries - 1));
}

/** Writes SECTION_DOC_WORDS, SECTION_FOLLOWERS and SECTION_SPLITS. The numbers of terms are known. */
export function writeDocumentWords(documents: u32, terms: u32): void {
  const width = widthOf(terms);
  if (width > MAX_WIDTH) return;
  startDocuments(documents + 1);
  const header = changetype<DocumentWordsHeader>(alloc(offsetof<DocumentWordsHeader>()));
  header.width = width;
  header.firstAttribute = terms;
  header.firstSkip = terms + attributeCount;
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
  writeFollowers(terms);
  writeSplits();
}

/** Fills u32[documents + 1]: the byte at which the entries of each document begin. */
function setFirstBytes(out: usize, documents: u32, width: u32): void {
  const firstEntries = changetype<Buffer>(starts).data;
  let byte: u32 = 0;
  for (let document: usize = 0; document < <usize>documents; document++) {
    store<u32>(out + (document << 2), byte);
    const entries = load<u32>(firstEntries + (document << 2), 4) - load<u32>(firstEntries + (document << 2));
    byte += (entries * width + 7) >>> 3;
  }
  store<u32>(out + ((<usize>documents) << 2), byte);
}

function writeEntries(header: DocumentWordsHeader): void {
  const width = header.width;
  const firstEntries = changetype<Buffer>(starts).data;
  // An entry may take an extra byte where a document ends, and some bits may be left over from the page before.
  const work = alloc((PAGE_BYTES >> 2) * (((<usize>width + 7) >>> 3) + 1) + 16);
  const list = changetype<Buffer>(pages);
  followersWords();
  splitsWords();
  let document: u32 = 0;
  let documentEnd = load<u32>(firstEntries, 4);
  let index: u32 = 0;
  let waiting: u64 = 0;
  let bits: u32 = 0;
  for (let page: usize = 0; page < list.length; page += 4) {
    const from: usize = load<u32>(list.data + page);
    const to = page + 4 === list.length ? at : from + PAGE_BYTES;
    let out = work;
    for (let entry = from; entry < to; entry += 4) {
      const value = load<u32>(entry);
      let number: u32;
      if (value & KIND_MASK) {
        // An attribute begins, maybe in the next document; or positions are skipped.
        number = value >>> KIND_BITS;
        number += (value & KIND_MASK) === KIND_ATTRIBUTE ? header.firstAttribute : header.firstSkip;
        if (documentEnd <= index) {
          for (; bits > 0; bits -= min<u32>(bits, 8)) {
            store<u8>(out++, waiting);
            waiting >>= 8;
          }
          while (documentEnd <= index) documentEnd = load<u32>(firstEntries + ((<usize>++document) << 2), 4);
        }
        followersBreak();
        splitsBreak();
      } else {
        const term = changetype<Term>(<usize>value);
        number = term.index;
        followersWord(number, term.docFreq, document);
        splitsWord(<usize>value, document);
      }
      waiting |= (<u64>number) << bits;
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
  }
  for (; bits > 0; bits -= min<u32>(bits, 8)) {
    store<u8>(work, waiting);
    waiting >>= 8;
    sectionAppend(work, 1);
  }
}
