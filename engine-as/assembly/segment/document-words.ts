/** Writes the words of each document in their order. They are recorded as terms, whose numbers are only known at the end. */
import { alloc } from '../runtime/arena';
import { Buffer, bufferCreate, bufferPush32 } from '../runtime/buffer';
import { PAGE_BYTES, pagesAppend } from '../runtime/pages';
import { followersBreak, followersWord, followersWords, writeFollowers } from './followers';
import { FIRST_SPECIAL, SECTION_DOC_WORDS, SPECIAL_ATTRIBUTE, SPECIAL_SKIP, WORD_BYTES, WORDS_SPARE } from './layout';
import { Term } from './term';
import { sectionBegin, sectionEnd } from './writer';

/** Entries are addresses of Term, which are multiples of 4, or special entries with this bit set. */
const SPECIAL_BIT: u32 = 1;

/** Buffer of u32 addresses of pages of entries, all full but the last */
let pages: usize = 0;
/** Buffer of u32: the first entry of each document up to the one that was noted last */
let starts: usize = 0;
let at: usize = 0;
let pageEnd: usize = 0;
let count: u32 = 0;
/** of the word that was noted last: its document and attribute, and the position after it */
let lastDocument: u32 = 0;
let lastAttribute: u32 = 0;
let next: u32 = 0;

export function documentWordsBegin(): void {
  pages = bufferCreate(256);
  starts = bufferCreate(1 << 14);
  at = 0;
  pageEnd = 0;
  count = 0;
  lastDocument = 0xffffffff;
}

/** The entries of the documents before `documents` that have not been noted yet begin, and end, at the present count. */
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

function pushSpecial(special: u32): void {
  push((special << 1) | SPECIAL_BIT);
}

/** Records an occurrence; positions of an attribute ascend. */
export function documentWordsAdd(term: Term, document: u32, attribute: u32, position: u32): void {
  if (document !== lastDocument || attribute !== lastAttribute) {
    if (document !== lastDocument) startDocuments(document + 1);
    pushSpecial(SPECIAL_ATTRIBUTE | attribute);
    lastDocument = document;
    lastAttribute = attribute;
    next = 0;
  }
  if (position !== next) pushSpecial(SPECIAL_SKIP | (position - next));
  push(<u32>changetype<usize>(term));
  next = position + 1;
}

/** Writes SECTION_DOC_WORDS and SECTION_FOLLOWERS. The numbers of terms are known. */
export function writeDocumentWords(documents: u32, terms: u32): void {
  if (terms > FIRST_SPECIAL) return;
  startDocuments(documents + 1);
  const firstEntries = changetype<Buffer>(starts).data;
  const section = sectionBegin();
  pagesAppend(section, firstEntries, (<usize>documents + 1) << 2);
  const work = alloc((PAGE_BYTES >> 2) * WORD_BYTES + 4);
  const list = changetype<Buffer>(pages);
  followersWords();
  let document: u32 = 0;
  let index: u32 = 0;
  for (let page: usize = 0; page < list.length; page += 4) {
    const from: usize = load<u32>(list.data + page);
    const to = page + 4 === list.length ? at : from + PAGE_BYTES;
    let out = work;
    for (let entry = from; entry < to; entry += 4) {
      const value = load<u32>(entry);
      let number = value >>> 1;
      if (value & SPECIAL_BIT) {
        // an attribute begins, maybe that of another document; or positions are left out
        while (load<u32>(firstEntries + ((<usize>document) << 2), 4) <= index) document++;
        followersBreak();
      } else {
        const term = changetype<Term>(<usize>value);
        number = term.index;
        followersWord(number, term.docFreq, document);
      }
      // The byte after the entry is overwritten by the next one.
      store<u32>(out, number);
      out += WORD_BYTES;
      index++;
    }
    pagesAppend(section, work, out - work);
  }
  memory.fill(work, 0, WORDS_SPARE);
  pagesAppend(section, work, WORDS_SPARE);
  sectionEnd(SECTION_DOC_WORDS, 0);
  writeFollowers(terms);
}
