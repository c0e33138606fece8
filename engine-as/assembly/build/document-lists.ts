/** Lists with an entry for each document (internal ids, keys, points, blocks), and their sections. */

import {
  Buffer,
  bufferCreate,
  bufferCreateLasting,
  bufferPush32,
  bufferPush64,
  bufferPushBytes,
  bufferRoom,
} from '../runtime/buffer';
import { BlocksHeader, KeysHeader } from '../segment/layout';
import {
  SECTION_BLOCKS,
  SECTION_DOC_IDS,
  SECTION_DOCUMENT_STARTS,
  SECTION_GEO,
  SECTION_KEYS,
  SECTION_PIECES,
} from '../segment/section-kinds';
import { sortTexts, TextEntry, textEntrySet } from '../segment/sort';
import { sectionAppendBuffer, sectionBegin, sectionEnd, sectionOf } from '../segment/writer';
import { codedActive, codedStarts, codedTable, codedTableBytes } from '../store/coded-documents';
import {
  packerBlockCount,
  packerFirstDocs,
  packerLargestRaw,
  packerPages,
  packerRawLengths,
  packerStarts,
} from '../store/packer';
import { CONFIG_GEO, configHas } from './config';
import { valuesLatitude, valuesLongitude } from './index-values';

/** Keys may be read in whole words past the last one. */
const SPARE_BYTES: usize = 8;

/** Buffers: internal ids, starts and bytes of keys, points */
let ids: usize = 0;
let keyStarts: usize = 0;
let keyBytes: usize = 0;
let points: usize = 0;

export function documentListsBegin(): void {
  ids = bufferCreateLasting(1 << 14);
  keyStarts = bufferCreateLasting(1 << 14);
  keyBytes = bufferCreateLasting(1 << 16);
  points = bufferCreateLasting(1 << 14);
}

/** Address of u32: the internal ids so far. */
export function documentIds(): usize {
  return changetype<Buffer>(ids).data;
}

/** Whether an internal id is greater than those so far. */
export function documentAscends(internalId: u32): bool {
  const list = changetype<Buffer>(ids);
  return list.length === 0 || load<u32>(list.data + list.length - 4) < internalId;
}

/** Adds a document whose values have not been indexed yet. */
export function documentBegin(internalId: u32, key: usize, keyLength: u32): void {
  bufferPush32(ids, internalId);
  bufferPush32(keyStarts, <u32>changetype<Buffer>(keyBytes).length);
  bufferPushBytes(keyBytes, key, keyLength);
}

/** Takes the location of the document from its values, which requires both coordinates. */
export function documentEnd(): void {
  if (!configHas(CONFIG_GEO)) return;
  const latitude = valuesLatitude();
  const longitude = valuesLongitude();
  const complete = !isNaN(latitude) && !isNaN(longitude);
  bufferPush64(points, reinterpret<u64>(complete ? latitude : NaN));
  bufferPush64(points, reinterpret<u64>(complete ? longitude : NaN));
}

export function writeIds(): void {
  sectionOf(SECTION_DOC_IDS, 0, changetype<Buffer>(ids).data, changetype<Buffer>(ids).length);
}

export function writePoints(): void {
  sectionOf(SECTION_GEO, 0, changetype<Buffer>(points).data, changetype<Buffer>(points).length);
}

export function writeKeys(documents: u32): void {
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
  sectionBegin();
  sectionAppendBuffer(head);
  sectionAppendBuffer(order);
  sectionAppendBuffer(keyStarts);
  sectionAppendBuffer(keyBytes);
  sectionEnd(SECTION_KEYS, 0);
}

/** Where documents are: the table of pieces and their starts, or their blocks. */
export function writePlaces(): void {
  if (!codedActive()) {
    writeBlocks();
    return;
  }
  sectionOf(SECTION_PIECES, 0, codedTable(), codedTableBytes());
  const starts = changetype<Buffer>(codedStarts(packerPages()));
  sectionOf(SECTION_DOCUMENT_STARTS, 0, starts.data, starts.length);
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
  sectionBegin();
  sectionAppendBuffer(head);
  sectionAppendBuffer(packerStarts());
  sectionAppendBuffer(packerFirstDocs());
  sectionAppendBuffer(packerRawLengths());
  sectionEnd(SECTION_BLOCKS, 0);
}
