/** Builds one segment from documents: {@link builderBegin}, {@link builderAdd} for each, {@link builderFinish}. */

import {
  FLATTEN_BLANKS,
  FLATTEN_DONE,
  FLATTEN_DUPLICATE,
  FLATTEN_TOO_MANY_FIELDS,
  flatten,
  flattenBegin,
  flattenCount,
  flattenHasOpaque,
  flattenLeaves,
} from '../json/flatten';
import { jsonCompact } from '../json/members';
import { fieldCount, fieldIntern, pathsBegin } from '../json/paths';
import { stripBlanks } from '../json/values';
import { alloc, arenaMark, arenaReset } from '../runtime/arena';
import { Buffer, bufferCreate, bufferPush32, bufferPush64, bufferPushBytes, bufferRoom } from '../runtime/buffer';
import { poolBegin } from '../runtime/pool';
import {
  packerAdd,
  packerBegin,
  packerBlockCount,
  packerFinish,
  packerFirstDocs,
  packerFlushFull,
  packerLargestRaw,
  packerPages,
  packerRawBytes,
  packerRawLengths,
  packerRoom,
  packerStarts,
} from '../store/packer';
import { AddedVectors, embedderCount, startFrom, vectorsAdd, vectorsBegin } from '../vector/collect';
import { vectorsScanBytes } from '../vector/index-vectors';
import { vectorsWrite, vectorValuesWrite } from '../vector/write';
import { columnAt, columnCount, columnsBegin } from './column-values';
import { columnWrite, columnWriteBegin } from './column-write';
import {
  CONFIG_DISABLE_ON_NUMBERS,
  CONFIG_GEO,
  CONFIG_NO_DOCUMENTS,
  CONFIG_NO_WORDS,
  configFields,
  configHas,
  configOpen,
  configScanBytes,
  listCount,
  textEnd,
} from './config';
import { FIELD_LONGITUDE, fieldState, fieldStates, fieldsBegin, fieldsDecide } from './fields';
import { indexDocument, valuesBegin, valuesLatitude, valuesLongitude, valuesWordCounts } from './index-values';
import {
  BlocksHeader,
  KeysHeader,
  NONE,
  SECTION_BLOCKS,
  SECTION_COLUMN,
  SECTION_DOC_IDS,
  SECTION_DOCUMENTS,
  SECTION_GEO,
  SECTION_KEYS,
  SECTION_VALUE_DOCUMENTS,
  SECTION_WORD_COUNTS,
  WordCountsHeader,
} from './layout';
import { sortTexts, TextEntry, textEntrySet } from './sort';
import { writeTerms } from './terms-write';
import { textsBegin } from './texts';
import { valueDocumentsBegin, valueDocumentsWrite } from './value-documents-write';
import { recordWords, wordCount, wordsBegin } from './words';
import {
  appendBuffer,
  chunkCount,
  fileChunks,
  sectionApart,
  sectionBegin,
  sectionEnd,
  sectionOf,
  writerBegin,
  writerFinish,
  writerResidentLength,
} from './writer';

export const BUILDER_ADDED: u32 = 0;
export const BUILDER_TOO_MANY_FIELDS: u32 = 1;
export const BUILDER_OUT_OF_ORDER: u32 = 2;

/** Sections besides columns and vectors: ids, keys, postings, terms, words of documents, followers, long runs, word counts, geo, blocks, documents. */
const PLAIN_SECTIONS: u32 = 12;
/** The values of documents, and the documents of each value. */
const SECTIONS_PER_COLUMN: u32 = 2;
/** The resident part, and the values. */
const SECTIONS_PER_EMBEDDER: u32 = 2;
/** Keys may be read in whole words past the last one. */
const SPARE_BYTES: usize = 8;

/** Buffers: key and JSON of the document to add, internal ids, starts and bytes of keys, starts of word counts, points */
let input: usize = 0;
let ids: usize = 0;
let keyStarts: usize = 0;
let keyBytes: usize = 0;
let wordCountStarts: usize = 0;
let points: usize = 0;

/** The state of the segment under construction, for the host; up to date after each call. */
@unmanaged
export class BuilderState {
  documentCount: u32;
  /** u32[fieldCount]: the address of each FieldState */
  fields: usize;
  fieldCount: u32;
  /**
   * of the finished file: FileChunk[] in order, their number, bytes of the resident part, bytes of the documents before
   * compression
   */
  chunks: usize;
  chunkCount: u32;
  residentLength: u64;
  rawBytes: u64;
}

let builder = changetype<BuilderState>(0);

/** `config`: see config.ts; it and the tokenizer must stay where they are. */
export function builderBegin(config: usize, tokenizer: usize): BuilderState {
  builder = changetype<BuilderState>(alloc(offsetof<BuilderState>()));
  memory.fill(changetype<usize>(builder), 0, offsetof<BuilderState>());
  poolBegin();
  configOpen(config);
  pathsBegin();
  flattenBegin();
  columnsBegin();
  fieldsBegin();
  textsBegin();
  packerBegin();
  wordsBegin(configHas(CONFIG_DISABLE_ON_NUMBERS));
  valuesBegin(tokenizer);
  vectorsBegin();
  input = bufferCreate(1 << 16);
  ids = bufferCreate(1 << 14);
  keyStarts = bufferCreate(1 << 14);
  keyBytes = bufferCreate(1 << 16);
  wordCountStarts = bufferCreate(1 << 14);
  points = bufferCreate(1 << 14);
  let path = configFields();
  const known = listCount(path);
  path += 4;
  for (let i: u32 = 0; i < known; i++) {
    fieldIntern(path + 4, load<u32>(path));
    path = textEnd(path);
  }
  noteFields();
  if (configScanBytes() !== NONE) vectorsScanBytes(configScanBytes());
  return builder;
}

function noteFields(): void {
  fieldsDecide();
  builder.fields = fieldStates();
  builder.fieldCount = fieldCount();
}

/** Where what is to be added next goes. */
export function builderInput(bytes: u32): usize {
  changetype<Buffer>(input).length = 0;
  return bufferRoom(input, bytes);
}

/**
 * Adds the documents in {@link builderInput}. Answers BUILDER_ADDED, or why the one after those that were added was not.
 *
 *   | internal ids u32[count] | ends of keys u32[count] | (start, end) u32[2 * count] of documents | keys | JSON |
 *
 * @param fieldsOnly their fields are taken, but not the documents
 */
export function builderAdd(count: u32, keyBytes: u32, fieldsOnly: bool): u32 {
  const internalIds = changetype<Buffer>(input).data;
  const keyEnds = internalIds + ((<usize>count) << 2);
  const places = keyEnds + ((<usize>count) << 2);
  const keys = places + ((<usize>count) << 3);
  const json = keys + keyBytes;
  let key: u32 = 0;
  for (let i: u32 = 0; i < count; i++) {
    const start = load<u32>(places + ((<usize>i) << 3));
    const length = load<u32>(places + ((<usize>i) << 3), 4) - start;
    if (fieldsOnly) {
      if (!readDocument(json + start, length)) return BUILDER_TOO_MANY_FIELDS;
      continue;
    }
    const keyEnd = load<u32>(keyEnds + ((<usize>i) << 2));
    const outcome = addDocument(load<u32>(internalIds + ((<usize>i) << 2)), keys + key, keyEnd - key, json + start, length);
    if (outcome !== BUILDER_ADDED) return outcome;
    key = keyEnd;
  }
  return BUILDER_ADDED;
}

/** Answers BUILDER_ADDED, or why not: too many fields, or ids do not ascend. */
function addDocument(internalId: u32, key: usize, keyLength: u32, json: usize, jsonLength: u32): u32 {
  const document = builder.documentCount;
  const list = changetype<Buffer>(ids);
  if (document > 0 && load<u32>(list.data + list.length - 4) >= internalId) return BUILDER_OUT_OF_ORDER;
  if (!readDocument(json, jsonLength)) return BUILDER_TOO_MANY_FIELDS;

  bufferPush32(ids, internalId);
  builder.documentCount++;
  bufferPush32(keyStarts, <u32>changetype<Buffer>(keyBytes).length);
  bufferPushBytes(keyBytes, key, keyLength);
  bufferPush32(wordCountStarts, <u32>(changetype<Buffer>(valuesWordCounts()).length >> 2));
  indexDocument(flattenLeaves(), flattenCount(), document);
  pushPoint();
  if (configHas(CONFIG_NO_DOCUMENTS)) return BUILDER_ADDED;
  packerAdd(documentLength);
  packerFlushFull();
  return BUILDER_ADDED;
}

/** Length of the document read last, without white space; its text is where the packer expects it. */
let documentLength: u32 = 0;

/** Walks a document and assigns ids to its new fields. False: too many fields. */
function readDocument(json: usize, jsonLength: u32): bool {
  const text = packerRoom(jsonLength);
  documentLength = jsonLength;
  memory.copy(text, json, jsonLength);
  let outcome = flatten(text, documentLength);
  if (outcome === FLATTEN_BLANKS) {
    documentLength = <u32>stripBlanks(json, jsonLength, text);
    outcome = flatten(text, documentLength);
  }
  if (outcome === FLATTEN_DUPLICATE || (outcome === FLATTEN_DONE && flattenHasOpaque())) {
    const mark = arenaMark();
    documentLength = jsonCompact(json, jsonLength, 0, 0, text);
    arenaReset(mark);
    if (documentLength === 0) return false;
    outcome = flatten(text, documentLength);
  }
  noteFields();
  return outcome !== FLATTEN_TOO_MANY_FIELDS;
}

/** A location requires both coordinates. */
function pushPoint(): void {
  const latitude = valuesLatitude();
  const longitude = valuesLongitude();
  const complete = !isNaN(latitude) && !isNaN(longitude);
  bufferPush64(points, reinterpret<u64>(complete ? latitude : NaN));
  bufferPush64(points, reinterpret<u64>(complete ? longitude : NaN));
}

/** Adds what an embedder has of a document that was added. False: the segment has vectors of that embedder with other dimensions or flags. */
export function builderAddVectors(added: AddedVectors): bool {
  return vectorsAdd(added, changetype<Buffer>(input).data);
}

/**
 * Makes the file: see {@link BuilderState}. No document can be added any more. @param graphs OldGraph[count]: what the graphs of embedders start
 * from
 */
export function builderFinish(graphs: usize, count: u32): void {
  startFrom(graphs, count);
  const documents = builder.documentCount;
  const withDocuments = !configHas(CONFIG_NO_DOCUMENTS);
  writerBegin(PLAIN_SECTIONS + SECTIONS_PER_COLUMN * columnCount() + SECTIONS_PER_EMBEDDER * embedderCount());
  if (withDocuments) {
    packerFinish();
    sectionOf(SECTION_DOC_IDS, 0, changetype<Buffer>(ids).data, changetype<Buffer>(ids).length);
    writeKeys(documents);
  }
  if (!configHas(CONFIG_NO_WORDS)) {
    recordWords();
    writeTerms(documents);
    writeWordCounts();
  }
  writeColumns(documents);
  if (configHas(CONFIG_GEO)) sectionOf(SECTION_GEO, 0, changetype<Buffer>(points).data, changetype<Buffer>(points).length);
  if (withDocuments) {
    writeBlocks();
    vectorsWrite(documents, changetype<Buffer>(ids).data);
    sectionApart(SECTION_DOCUMENTS, 0, packerPages());
    vectorValuesWrite();
  }
  writerFinish(documents, wordCount(), packerRawBytes());
  builder.rawBytes = packerRawBytes();
  builder.residentLength = writerResidentLength();
  builder.chunkCount = chunkCount();
  builder.chunks = fileChunks();
}

function writeKeys(documents: u32): void {
  bufferPush32(keyStarts, <u32>changetype<Buffer>(keyBytes).length);
  memory.fill(bufferRoom(keyBytes, SPARE_BYTES), 0, SPARE_BYTES);
  const bytes = changetype<Buffer>(keyBytes).data;
  const starts = changetype<Buffer>(keyStarts).data;
  const entries = bufferRoom(bufferCreate(16), <usize>documents * offsetof<TextEntry>());
  for (let i: u32 = 0; i < documents; i++) {
    const start = load<u32>(starts + ((<usize>i) << 2));
    const end = load<u32>(starts + ((<usize>i) << 2), 4);
    textEntrySet(entries + <usize>i * offsetof<TextEntry>(), bytes + start, end - start, i);
  }
  sortTexts(entries, documents);
  const order = bufferCreate(((<usize>documents) << 2) + 16);
  for (let i: u32 = 0; i < documents; i++) {
    bufferPush32(order, changetype<TextEntry>(entries + <usize>i * offsetof<TextEntry>()).value);
  }
  const head = bufferCreate(offsetof<KeysHeader>());
  const header = changetype<KeysHeader>(bufferRoom(head, offsetof<KeysHeader>()));
  changetype<Buffer>(head).length = offsetof<KeysHeader>();
  header.orderOffset = <u32>offsetof<KeysHeader>();
  header.startsOffset = header.orderOffset + (documents << 2);
  header.bytesOffset = header.startsOffset + ((documents + 1) << 2);
  header.reserved = 0;
  const pages = sectionBegin();
  appendBuffer(pages, head);
  appendBuffer(pages, order);
  appendBuffer(pages, keyStarts);
  appendBuffer(pages, keyBytes);
  sectionEnd(SECTION_KEYS, 0);
}

function writeWordCounts(): void {
  bufferPush32(wordCountStarts, <u32>(changetype<Buffer>(valuesWordCounts()).length >> 2));
  const head = bufferCreate(offsetof<WordCountsHeader>());
  const header = changetype<WordCountsHeader>(bufferRoom(head, offsetof<WordCountsHeader>()));
  changetype<Buffer>(head).length = offsetof<WordCountsHeader>();
  header.startsOffset = <u32>offsetof<WordCountsHeader>();
  header.entriesOffset = header.startsOffset + <u32>changetype<Buffer>(wordCountStarts).length;
  const pages = sectionBegin();
  appendBuffer(pages, head);
  appendBuffer(pages, wordCountStarts);
  appendBuffer(pages, valuesWordCounts());
  sectionEnd(SECTION_WORD_COUNTS, 0);
}

/** Columns of the fields that documents have, by ascending field, then the documents of their values. */
function writeColumns(documents: u32): void {
  columnWriteBegin(documents);
  valueDocumentsBegin(documents);
  /** u32 pairs: a field, and the Buffer of its section */
  const inverted = bufferCreate(256);
  for (let i: u32 = 0; i < columnCount(); i++) {
    const column = columnAt(i);
    if (changetype<Buffer>(column.exists).length === 0) continue;
    const section = columnWrite(column);
    sectionOf(SECTION_COLUMN, column.field, changetype<Buffer>(section).data, changetype<Buffer>(section).length);
    // The documents of each longitude are never needed.
    if (fieldState(column.field).flags & FIELD_LONGITUDE) continue;
    bufferPush32(inverted, column.field);
    bufferPush32(inverted, <u32>valueDocumentsWrite(changetype<Buffer>(section).data));
  }
  const end = changetype<Buffer>(inverted).data + changetype<Buffer>(inverted).length;
  for (let at = changetype<Buffer>(inverted).data; at < end; at += 8) {
    const section = changetype<Buffer>(<usize>load<u32>(at, 4));
    sectionOf(SECTION_VALUE_DOCUMENTS, load<u32>(at), section.data, section.length);
  }
}

function writeBlocks(): void {
  const head = bufferCreate(offsetof<BlocksHeader>());
  const header = changetype<BlocksHeader>(bufferRoom(head, offsetof<BlocksHeader>()));
  changetype<Buffer>(head).length = offsetof<BlocksHeader>();
  const blocks = packerBlockCount();
  header.blockCount = blocks;
  // The u64 array first, because it must be at a multiple of 8.
  header.startsOffset = <u32>offsetof<BlocksHeader>();
  header.firstDocOffset = header.startsOffset + ((blocks + 1) << 3);
  header.rawOffset = header.firstDocOffset + ((blocks + 1) << 2);
  header.largestRaw = packerLargestRaw();
  header.reserved = 0;
  const pages = sectionBegin();
  appendBuffer(pages, head);
  appendBuffer(pages, packerStarts());
  appendBuffer(pages, packerFirstDocs());
  appendBuffer(pages, packerRawLengths());
  sectionEnd(SECTION_BLOCKS, 0);
}
