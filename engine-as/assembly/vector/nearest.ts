/** Finds the documents of one segment with the vectors nearest to a query. */
import { alloc, arenaMark, arenaReset } from '../runtime/arena';
import { isTimeOver, setDeadline } from '../runtime/deadline';
import { readBlock } from '../runtime/env';
import { SegmentView } from '../segment/view';
import { bestCreate, bestEntries, bestSort } from './best';
import { VECTORS_BINARY, VectorsHeader, vectorStart, vectorsOf, vectorValuesOffset } from './layout';
import { ANY_ORDINAL, scanBits, scanValues } from './scan';
import { searchCodes, searchCreate, searchDocuments, searchExplore, searchFinish, searchNear, searchRows } from './search';

/** Bytes of values per read from the file. */
const CHUNK_BYTES: u32 = 1 << 18;
/** Documents with binary vectors that are compared between two checks of the deadline. */
const STRIDE_DOCUMENTS: u32 = 4096;
/** Vectors whose codes are scanned between two checks of the deadline: a multiple of the vectors of a block. */
const STRIDE_VECTORS: u32 = 32768;

@unmanaged
export class VectorQuery {
  /** deadline on the host's clock */
  deadline: f64;
  view: SegmentView;
  /** id of the segment, whose file has the values of the vectors */
  segment: u32;
  /** number of the embedder; the segment must have vectors of it */
  embedder: u32;
  /** f32 per dimension */
  vector: usize;
  /** number of documents wanted, at least one */
  wanted: u32;
  /** bitmap of the documents that may be returned */
  allowed: usize;
  /** only vectors with this ordinal are compared, or ANY_ORDINAL */
  ordinal: u32;
  /** documents of a lesser similarity may be left out, because enough nearer ones are known from other segments */
  least: f32;
}

@unmanaged
export class VectorMatches {
  /** Scored[], the nearest first */
  list: usize;
  count: u32;
  /** whether the deadline passed before the search was complete */
  isTimedOut: bool;
  /** the graph of the segment was walked; else its vectors were scanned */
  isWalked: bool;
}

/** Documents without a vector of the embedder are left out. */
export function nearestVectors(query: VectorQuery): VectorMatches {
  setDeadline(query.deadline);
  const header = vectorsOf(changetype<usize>(query.view), query.embedder);
  // No document has a second vector.
  if (query.ordinal === 0 && changetype<VectorsHeader>(header).ordinalsOffset === 0) query.ordinal = ANY_ORDINAL;
  const isBinary = (changetype<VectorsHeader>(header).flags & VECTORS_BINARY) !== 0;
  const best = bestCreate(query.wanted);
  const matches = changetype<VectorMatches>(alloc(offsetof<VectorMatches>()));
  matches.isWalked = false;
  matches.isTimedOut =
    isTimeOver() || !(isBinary ? compareBits(query, header, best) : compareValues(query, header, best, matches));
  matches.count = bestSort(best);
  matches.list = bestEntries(best);
  return matches;
}

/** Compares binary vectors. Returns false when the deadline passed before all were compared. */
function compareBits(query: VectorQuery, header: usize, best: usize): bool {
  const documents = query.view.docCount;
  for (let from: u32 = 0; from < documents; from += STRIDE_DOCUMENTS) {
    if (from > 0 && isTimeOver()) return false;
    const mark = arenaMark();
    scanBits(header, query.vector, from, min(documents, from + STRIDE_DOCUMENTS), query.allowed, query.ordinal, best);
    arenaReset(mark);
  }
  return true;
}

/** Finds candidates by the resident forms, then compares their values. */
function compareValues(query: VectorQuery, header: usize, best: usize, matches: VectorMatches): bool {
  const documents = query.view.docCount;
  const allowed = query.allowed;
  const values = vectorValuesOffset(changetype<usize>(query.view), query.embedder);
  const search = searchCreate(header, query.vector, query.wanted, 2 * query.least - 1, allowed, documents);
  if (search === 0) return compareAll(query, header, values, best);
  matches.isWalked = searchExplore(search, allowed, query.ordinal);
  const isWhole = matches.isWalked || scanAll(query, header, search);
  const count = searchFinish(search, allowed, documents);
  const found = searchDocuments(search);
  for (let i: u32 = 0; i < count; i++) {
    const document = load<u32>(found + ((<usize>i) << 2));
    compareRows(query, header, values, document, document + 1, best);
  }
  return isWhole;
}

/** Scans codes and rows of all vectors. Returns false when the deadline passed before the end. */
function scanAll(query: VectorQuery, header: usize, search: usize): bool {
  const count = changetype<VectorsHeader>(header).vectorCount;
  let from: u32 = 0;
  for (; from < count && (from === 0 || !isTimeOver()); from += STRIDE_VECTORS) {
    searchCodes(search, from, min(count, from + STRIDE_VECTORS), query.allowed, query.ordinal);
  }
  searchNear(search);
  if (from < count) return false;
  for (from = 0; from < count; from += STRIDE_VECTORS) {
    if (from > 0 && isTimeOver()) return false;
    searchRows(search, from, min(count, from + STRIDE_VECTORS));
  }
  return true;
}

/** Compares the values of all documents, in reads of at most CHUNK_BYTES. */
function compareAll(query: VectorQuery, header: usize, values: f64, best: usize): bool {
  const documents = query.view.docCount;
  const atOnce = max<u32>(1, CHUNK_BYTES / (changetype<VectorsHeader>(header).dimensions << 2));
  let from: u32 = 0;
  while (from < documents) {
    if (from > 0 && isTimeOver()) return false;
    const first = vectorStart(header, from);
    let end = from + 1;
    while (end < documents && vectorStart(header, end + 1) - first <= atOnce) end++;
    compareRows(query, header, values, from, end, best);
    from = end;
  }
  return true;
}

/** Compares the documents from … end - 1; `values`: offset of the embedder's values in the file. */
function compareRows(query: VectorQuery, header: usize, values: f64, from: u32, end: u32, best: usize): void {
  const first = vectorStart(header, from);
  const rowBytes = changetype<VectorsHeader>(header).dimensions << 2;
  const bytes = (vectorStart(header, end) - first) * rowBytes;
  const mark = arenaMark();
  const rows = alloc(bytes);
  if (bytes > 0) readBlock(query.segment, values + <f64>first * <f64>rowBytes, bytes, rows);
  scanValues(header, query.vector, rows, from, end, query.allowed, query.ordinal, best);
  arenaReset(mark);
}
