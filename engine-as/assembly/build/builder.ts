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
import { blocksReset } from '../runtime/blocks';
import { Buffer, bufferCreate, bufferRoom } from '../runtime/buffer';
import { poolBegin } from '../runtime/pool';
import { NONE } from '../segment/layout';
import { SECTION_DOCUMENTS } from '../segment/section-kinds';
import { residentEnd, sectionOfPages, writerBegin, writerFinish } from '../segment/writer';
import { packerAdd, packerBegin, packerFinish, packerFlushFull, packerPages, packerRawBytes, packerRoom } from '../store/packer';
import { AddedVectors, embedderCount, startFrom, vectorsAdd, vectorsBegin } from '../vector/collect';
import { vectorsScanBytes } from '../vector/index-vectors';
import { vectorsWrite, vectorValuesWrite } from '../vector/write';
import { columnCount, columnsBegin } from './column-values';
import { writeColumns } from './column-write';
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
import {
  documentAscends,
  documentBegin,
  documentEnd,
  documentIds,
  documentListsBegin,
  writeIds,
  writeKeys,
  writePlaces,
  writePoints,
} from './document-lists';
import { fieldStates, fieldsBegin, fieldsDecide } from './fields';
import { indexDocument, valuesBegin } from './index-values';
import { writeTerms } from './terms-write';
import { textsBegin } from './texts';
import { wordCountsBegin, wordCountsNext, writeWordCounts } from './word-counts';
import { wordCount } from './word-table';
import { recordWords, wordsBegin } from './words';

export const BUILDER_ADDED: u32 = 0;
export const BUILDER_TOO_MANY_FIELDS: u32 = 1;
export const BUILDER_OUT_OF_ORDER: u32 = 2;

/**
 * Sections besides columns and vectors: ids, keys, postings, terms, samples, filter, letters, words of documents, followers, predecessors,
 * splits, long runs, word counts (two), geo, places of documents (two), documents.
 */
const PLAIN_SECTIONS: u32 = 18;
/** The values of each document, and the documents of each value. */
const SECTIONS_PER_COLUMN: u32 = 2;
/** The resident section, and the values. */
const SECTIONS_PER_EMBEDDER: u32 = 2;
/** Buffer: the documents to be added next. */
let input: usize = 0;

/** The state of the segment under construction, for the host; up to date after each call. */
@unmanaged
export class BuilderState {
  documentCount: u32;
  /** u32[fieldCount]: the address of each FieldState */
  fields: usize;
  fieldCount: u32;
  /** of the finished file: bytes of the resident part and of all, bytes of the documents before compression */
  residentLength: u64;
  fileLength: u64;
  rawBytes: u64;
}

let builder = changetype<BuilderState>(0);

/** `config`: see config.ts; it and the tokenizer must stay where they are. */
export function builderBegin(config: usize, tokenizer: usize): BuilderState {
  builder = changetype<BuilderState>(alloc(offsetof<BuilderState>()));
  memory.fill(changetype<usize>(builder), 0, offsetof<BuilderState>());
  blocksReset();
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
  documentListsBegin();
  wordCountsBegin();
  let path = configFields();
  const known = listCount(path);
  path += 4;
  for (let i: u32 = 0; i < known; i++) {
    fieldIntern(path + 4, load<u32>(path));
    path = textEnd(path);
  }
  updateFields();
  if (configScanBytes() !== NONE) vectorsScanBytes(configScanBytes());
  return builder;
}

function updateFields(): void {
  fieldsDecide();
  builder.fields = fieldStates();
  builder.fieldCount = fieldCount();
}

/** Memory of `bytes` for the input of the next call: documents or vectors. */
export function builderInput(bytes: u32): usize {
  changetype<Buffer>(input).length = 0;
  return bufferRoom(input, bytes);
}

/**
 * Adds the documents in {@link builderInput}. Returns BUILDER_ADDED, or the reason why the next document was not added.
 *
 *   | internal ids u32[count] | ends of keys u32[count] | (start, end) u32[2 * count] of documents | keys | JSON |
 *
 * @param fieldsOnly only adds their fields
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

/** Returns BUILDER_ADDED, or the reason why not: too many fields, or ids that do not ascend. */
function addDocument(internalId: u32, key: usize, keyLength: u32, json: usize, jsonLength: u32): u32 {
  if (!documentAscends(internalId)) return BUILDER_OUT_OF_ORDER;
  if (!readDocument(json, jsonLength)) return BUILDER_TOO_MANY_FIELDS;
  documentBegin(internalId, key, keyLength);
  wordCountsNext();
  indexDocument(flattenLeaves(), flattenCount(), builder.documentCount++);
  documentEnd();
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
  updateFields();
  return outcome !== FLATTEN_TOO_MANY_FIELDS;
}

/** Must be called before the scratch memory of the builder is released. */
export function builderEnd(): void {
  blocksReset();
}

/** Adds the vectors of an added document for an embedder. False: the segment has vectors of that embedder with other dimensions or flags. */
export function builderAddVectors(added: AddedVectors): bool {
  return vectorsAdd(added, changetype<Buffer>(input).data);
}

/**
 * Writes the file; see {@link BuilderState} for its sizes. No document can be added any more.
 * @param graphs OldGraph[count]: graphs of other segments from which those of embedders start
 */
export function builderFinish(graphs: usize, count: u32): void {
  startFrom(graphs, count);
  const withDocuments = !configHas(CONFIG_NO_DOCUMENTS);
  writerBegin(PLAIN_SECTIONS + SECTIONS_PER_COLUMN * columnCount() + SECTIONS_PER_EMBEDDER * embedderCount());
  if (withDocuments) packerFinish();
  // Each step releases what it has allocated: sections are not in memory, and no step needs anything of those before.
  const mark = arenaMark();
  if (withDocuments) {
    writeIds();
    writeKeys(builder.documentCount);
    arenaReset(mark);
  }
  if (!configHas(CONFIG_NO_WORDS)) {
    recordWords();
    writeTerms(builder.documentCount);
    blocksReset();
    arenaReset(mark);
    writeWordCounts(builder.documentCount);
    arenaReset(mark);
  }
  writeColumns(builder.documentCount);
  arenaReset(mark);
  if (configHas(CONFIG_GEO)) writePoints();
  if (withDocuments) {
    writePlaces();
    vectorsWrite(builder.documentCount, documentIds());
  }
  residentEnd();
  if (withDocuments) {
    sectionOfPages(SECTION_DOCUMENTS, 0, packerPages());
    vectorValuesWrite();
  }
  const header = writerFinish(builder.documentCount, wordCount(), packerRawBytes());
  builder.rawBytes = header.rawBytes;
  builder.residentLength = header.residentLength;
  builder.fileLength = header.fileLength;
}
