/**
 * Searches over quantised vectors: they name the documents that may be nearest, and the caller compares their values. A search explores the
 * graph and leaves out what is not allowed; where it is cheaper, it scans the codes of the vectors that are allowed, and the rows of those
 * whose code comes near.
 */
import { alloc, allocZeroed, arenaMark, arenaReset } from '../runtime/arena';
import { bitmapBytes } from '../segment/layout';
import { bitmapAdd, bitmapAndCount, bitmapHas } from '../sets/bitmap';
import { Best, bestCreate, bestDrop, bestEntries, bestSort, Scored } from './best';
import { leastOf } from './candidates';
import { explore } from './explore';
import { embeddedBitmap, quantizedOf, VECTORS_ONE_EACH, VectorsHeader, vectorOwner } from './layout';
import { probeCreate, probeValues } from './probe';
import { scanCodes, scanCreate, scanFirst, scanRows } from './scan-codes';

/** Segments whose values are no more bytes than this are searched by these. */
const VALUES_BYTES: u64 = 1 << 18;
/**
 * Documents that are looked for beyond those asked for, as estimates may order them another way: where a filter leaves what is far from the
 * query, hundreds of documents are as near as the estimates can tell.
 */
const SPARE: u32 = 160;
/**
 * What a scan costs, in vectors that an exploration visits: each of these waits for the memory. Its codes, the rows that come near, and, where
 * few are allowed, the rows of all of these. Measured on 256 and on 768 dimensions.
 */
const VISITS_PER_CODE: f64 = 0.006;
const VISITS_PER_ALLOWED: f64 = 0.009;
const VISITS_PER_ROW: f64 = 0.12;
/** Visits that find what is wanted among all vectors of a segment, where that is easy; the fewer of the near ones are allowed, the more it takes. */
export const MIN_VISITS: f64 = 300;
/** Where fewer are wanted, as many decide: a single one that is very near says little about the others. */
const MIN_WANTED: u32 = 10;
/** Standard deviation of a rounding error, in steps. */
const ROUNDING: f32 = 0.28867513;
/** Standard deviations of the error of estimates from rows that are allowed for. */
const ROW_DEVIATIONS: f32 = 3;
/** By which cosines of 32-bit floats that are summed in other orders may differ. */
const SUMMATION: f32 = 1e-5;

@unmanaged
export class Search {
  header: usize;
  quantized: usize;
  probe: usize;
  /** documents asked for */
  wanted: u32;
  /** vectors of a document that has some, on average, rounded up */
  vectorsEach: u32;
  /** Best, by estimates; a document with several vectors may be there several times */
  candidates: usize;
  /** Best: as many of them as are wanted */
  nearest: usize;
  /** by which estimates from rows may miss */
  error: f32;
  /** what is farther by its row is not among the nearest, as far as others than those in {@link nearest} tell */
  least: f32;
  /** Scan; 0 before a scan is made */
  scan: usize;
  /** documents that are allowed and have vectors */
  allowedCount: u32;
  /** u32[]: what searchFinish lists */
  documents: usize;
}

/**
 * Prepares a search for `wanted` documents among those allowed; 0: the values of the vectors must be scanned, because they are few or
 * the query has no direction. `least`: the cosine of the last document that is wanted, as far as others than these tell.
 */
export function searchCreate(header: usize, query: usize, wanted: u32, least: f32, allowed: usize, documents: u32): usize {
  const vectors = changetype<VectorsHeader>(header);
  if (<u64>vectors.vectorCount * vectors.dimensions * 4 <= VALUES_BYTES) return 0;
  const search = changetype<Search>(alloc(offsetof<Search>()));
  const quantized = quantizedOf(header);
  const probe = probeCreate(quantized);
  if (!probeValues(probe, quantized, query, vectors.dimensions)) return 0;
  search.header = header;
  search.quantized = changetype<usize>(quantized);
  search.probe = changetype<usize>(probe);
  search.wanted = wanted;
  search.vectorsEach = (vectors.vectorCount + vectors.embeddedCount - 1) / vectors.embeddedCount;
  search.candidates = bestCreate(min<u32>(vectors.vectorCount, (2 * wanted + SPARE) * search.vectorsEach));
  search.nearest = bestCreate(max<u32>(MIN_WANTED, wanted) * search.vectorsEach);
  search.error = ROW_DEVIATIONS * ROUNDING * vectors.largestScale * probe.norm + SUMMATION;
  search.least = least - search.error;
  search.scan = 0;
  search.allowedCount = bitmapAndCount(allowed, embeddedBitmap(header), bitmapBytes(documents));
  return changetype<usize>(search);
}

/**
 * Looks at the codes of the vectors from … end - 1 of documents that are allowed; `from`: a multiple of {@link BLOCK_VECTORS}. When all were
 * looked at, {@link searchNear} and then {@link searchRows} find what is nearest.
 */
export function searchCodes(pointer: usize, from: u32, end: u32, allowed: usize, ordinal: u32): void {
  const search = changetype<Search>(pointer);
  if (search.scan === 0) search.scan = changetype<usize>(scanCreate(search));
  scanCodes(search, from, end, allowed, ordinal);
}

/** Compares the rows of those that may be nearest by their codes. */
export function searchNear(pointer: usize): void {
  scanFirst(changetype<Search>(pointer));
}

/** Compares the rows of the others from … end - 1 as far as they may be as near. */
export function searchRows(pointer: usize, from: u32, end: u32): void {
  scanRows(changetype<Search>(pointer), from, end);
}

/**
 * Explores the graph, until that has cost as much as scanning does. False: there is none, scanning is cheaper, or it has turned out to be;
 * then nothing was found.
 */
export function searchExplore(pointer: usize, allowed: usize, ordinal: u32): bool {
  const search = changetype<Search>(pointer);
  const vectors = changetype<VectorsHeader>(search.header);
  if (vectors.graphOffset === 0) return false;
  const allowedVectors = (<f64>search.allowedCount * <f64>vectors.vectorCount) / <f64>vectors.embeddedCount;
  const visits = visitsOfScan(vectors, allowedVectors);
  if (visits < MIN_VISITS) return false;
  const mark = arenaMark();
  const explored = explore(search, <u32>visits, allowed, ordinal);
  arenaReset(mark);
  if (!explored) {
    changetype<Best>(search.candidates).count = 0;
    changetype<Best>(search.nearest).count = 0;
  }
  return explored;
}

function visitsOfScan(vectors: VectorsHeader, allowed: f64): f64 {
  const byRows = VISITS_PER_ROW * allowed;
  if (vectors.codesOffset === 0) return byRows;
  return min<f64>(byRows, VISITS_PER_CODE * <f64>vectors.vectorCount + VISITS_PER_ALLOWED * allowed);
}

/**
 * Ends the search: sorts the candidates, adds documents with vectors without a direction, and says how many documents have to be compared
 * by their values: those that may be among the nearest. They are at {@link searchDocuments}.
 */
export function searchFinish(pointer: usize, allowed: usize, documents: u32): u32 {
  const search = changetype<Search>(pointer);
  const header = search.header;
  const vectors = changetype<VectorsHeader>(header);
  // in a graph the vectors of a document are met one by one, and all of them may be counted
  if (vectors.flags & VECTORS_ONE_EACH) bestDrop(search.candidates, leastOf(search));
  const count = bestSort(search.candidates);
  const entries = bestEntries(search.candidates);
  let listed: u32 = 0;
  search.documents = alloc((<usize>count + vectors.undirectedCount) << 2);
  const seen = allocZeroed(bitmapBytes(documents));
  let least: f32 = -Infinity;
  for (let i: u32 = 0; i < count; i++) {
    const entry = changetype<Scored>(entries + <usize>i * offsetof<Scored>());
    if (entry.similarity < least) break;
    if (bitmapHas(seen, entry.document)) continue;
    if (listed + 1 === search.wanted) least = entry.similarity - 2 * search.error;
    bitmapAdd(seen, entry.document);
    store<u32>(search.documents + ((<usize>listed) << 2), entry.document);
    listed++;
  }
  for (let i: u32 = 0; i < vectors.undirectedCount; i++) {
    const document = vectorOwner(header, load<u32>(header + vectors.undirectedOffset + ((<usize>i) << 2)));
    if (!bitmapHas(allowed, document) || bitmapHas(seen, document)) continue;
    bitmapAdd(seen, document);
    store<u32>(search.documents + ((<usize>listed) << 2), document);
    listed++;
  }
  return listed;
}

/** u32[]: the documents that {@link searchFinish} has counted. */
export function searchDocuments(pointer: usize): usize {
  return changetype<Search>(pointer).documents;
}
