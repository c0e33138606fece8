/** The numbers of words in the attributes of documents, and their sections. */
import { alloc, allocZeroed } from '../runtime/arena';
import { Buffer, bufferCreateLasting, bufferPush32 } from '../runtime/buffer';
import { WordColumns, WordCountsHeader } from '../segment/layout';
import { SECTION_WORD_COLUMNS, SECTION_WORD_COUNTS } from '../segment/section-kinds';
import { sectionAppend, sectionAppendBuffer, sectionBegin, sectionEnd } from '../segment/writer';
import { valuesWordCounts } from './index-values';

/** Only the first attributes may have a column, so that the table of columns stays small. */
const MOST_COLUMNS: u32 = 64;
/** An entry takes as many bytes as a column does for this many documents. */
const ENTRY_BYTES: u32 = 4;

/** Buffer of u32: the first entry of each document */
let starts: usize = 0;

export function wordCountsBegin(): void {
  starts = bufferCreateLasting(1 << 14);
}

/** Starts the entries of the next document. */
export function wordCountsNext(): void {
  bufferPush32(starts, <u32>(changetype<Buffer>(valuesWordCounts()).length >> 2));
}

/** Writes the counts of attributes that many documents have as columns, and entries for the others. */
export function writeWordCounts(documents: u32): void {
  wordCountsNext();
  /** u32 by attribute: documents with words in it, then where its column begins, 0: it has none */
  const places = allocZeroed((<usize>MOST_COLUMNS) << 2);
  countDocuments(places);
  const bytes = placeColumns(places, documents);
  const columns = allocZeroed(bytes);
  moveToColumns(places, documents, columns);
  if (bytes > 0) writeColumns(places, columns, bytes);
  if (changetype<Buffer>(valuesWordCounts()).length > 0) writeEntries();
}

function countDocuments(counts: usize): void {
  const entries = changetype<Buffer>(valuesWordCounts());
  const end = entries.data + entries.length;
  for (let at = entries.data; at < end; at += 4) {
    const attribute = load<u32>(at) >>> 8;
    if (attribute >= MOST_COLUMNS) continue;
    const count = counts + ((<usize>attribute) << 2);
    store<u32>(count, load<u32>(count) + 1);
  }
}

/** Replaces the numbers of documents by the places of columns, each plus 1. Returns the bytes of all columns. */
function placeColumns(places: usize, documents: u32): u32 {
  let bytes: u32 = 0;
  for (let attribute: u32 = 0; attribute < MOST_COLUMNS; attribute++) {
    const place = places + ((<usize>attribute) << 2);
    const isColumn = <u64>load<u32>(place) * ENTRY_BYTES >= <u64>documents && load<u32>(place) > 0;
    store<u32>(place, isColumn ? bytes + 1 : 0);
    if (isColumn) bytes += documents;
  }
  return bytes;
}

/** Moves the entries of attributes with a column there. */
function moveToColumns(places: usize, documents: u32, columns: usize): void {
  const entries = changetype<Buffer>(valuesWordCounts());
  const firsts = changetype<Buffer>(starts).data;
  let kept: u32 = 0;
  let at = load<u32>(firsts);
  for (let document: u32 = 0; document < documents; document++) {
    const first = firsts + ((<usize>document) << 2);
    const end = load<u32>(first, 4);
    store<u32>(first, kept);
    for (; at < end; at++) {
      const entry = load<u32>(entries.data + ((<usize>at) << 2));
      const attribute = entry >>> 8;
      const place = attribute < MOST_COLUMNS ? load<u32>(places + ((<usize>attribute) << 2)) : 0;
      if (place > 0) {
        store<u8>(columns + <usize>(place - 1 + document), entry);
        continue;
      }
      store<u32>(entries.data + ((<usize>kept) << 2), entry);
      kept++;
    }
  }
  store<u32>(firsts + ((<usize>documents) << 2), kept);
  entries.length = (<usize>kept) << 2;
}

function writeColumns(places: usize, columns: usize, bytes: u32): void {
  let attributes = MOST_COLUMNS;
  while (load<u32>(places + ((<usize>(attributes - 1)) << 2)) === 0) attributes--;
  const header = changetype<WordColumns>(alloc(offsetof<WordColumns>()));
  const head = <u32>offsetof<WordColumns>() + (attributes << 2);
  header.attributeCount = attributes;
  header.bytes = head + bytes;
  for (let attribute: u32 = 0; attribute < attributes; attribute++) {
    const place = places + ((<usize>attribute) << 2);
    if (load<u32>(place) > 0) store<u32>(place, head + load<u32>(place) - 1);
  }
  sectionBegin();
  sectionAppend(changetype<usize>(header), offsetof<WordColumns>());
  sectionAppend(places, (<usize>attributes) << 2);
  sectionAppend(columns, bytes);
  sectionEnd(SECTION_WORD_COLUMNS, 0);
}

function writeEntries(): void {
  const header = changetype<WordCountsHeader>(alloc(offsetof<WordCountsHeader>()));
  header.startsOffset = <u32>offsetof<WordCountsHeader>();
  header.entriesOffset = header.startsOffset + <u32>changetype<Buffer>(starts).length;
  sectionBegin();
  sectionAppend(changetype<usize>(header), offsetof<WordCountsHeader>());
  sectionAppendBuffer(starts);
  sectionAppendBuffer(valuesWordCounts());
  sectionEnd(SECTION_WORD_COUNTS, 0);
}
