/** Writing the terms of each document: the postings once more, in the order of the documents. */

import { alloc } from '../runtime/arena';
import { pagesAlign, pagesAppend } from '../runtime/pages';
import { DocumentTerm, LENGTH_BITS, LONG_POSITIONS, SECTION_DOC_TERMS } from './layout';
import { sectionBegin, sectionEnd } from './writer';

/** Terms from here on do not fit an entry: then the section is left out. */
const MOST_TERMS: u32 = 1 << (32 - LENGTH_BITS);

let documentCount: u32 = 0;
/** u32[documentCount + 1]: first entry of each document */
let starts: usize = 0;
/** u32[documentCount]: next entry of each document */
let next: usize = 0;
let entries: usize = 0;

/** Prepares for the terms of some documents; `documentStarts`: first entry of each document, and the end of the last one's. */
export function documentTermsBegin(documentStarts: usize, documents: u32, terms: u32): void {
  documentCount = documents;
  starts = documentStarts;
  entries = 0;
  if (terms >= MOST_TERMS) return;
  next = alloc((<usize>documents) << 2);
  memory.copy(next, starts, (<usize>documents) << 2);
  entries = alloc(entryBytes() + offsetof<DocumentTerm>());
}

function entryBytes(): usize {
  return <usize>load<u32>(starts + ((<usize>documentCount) << 2)) * offsetof<DocumentTerm>();
}

/** Notes a posting; terms come in ascending order. `positions`: where they stand in SECTION_POSTINGS. */
export function documentTermsAdd(document: u32, term: u32, length: u32, positions: u32): void {
  if (entries === 0) return;
  const place = next + ((<usize>document) << 2);
  const index = load<u32>(place);
  store<u32>(place, index + 1);
  const entry = changetype<DocumentTerm>(entries + <usize>index * offsetof<DocumentTerm>());
  entry.term = (term << LENGTH_BITS) | min<u32>(length, LONG_POSITIONS);
  entry.positions = positions;
}

/** Writes SECTION_DOC_TERMS. */
export function writeDocumentTerms(): void {
  if (entries === 0) return;
  const pages = sectionBegin();
  pagesAppend(pages, starts, (<usize>documentCount + 1) << 2);
  pagesAlign(pages, <u32>offsetof<DocumentTerm>());
  pagesAppend(pages, entries, entryBytes());
  sectionEnd(SECTION_DOC_TERMS, 0);
}
