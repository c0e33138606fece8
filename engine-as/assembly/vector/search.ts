/**
 * Finds candidates for the nearest documents by quantised vectors; the caller then compares the values of their vectors. A search
 * explores the graph without documents that are not allowed. If a scan costs less, it scans the codes of allowed vectors, and
 * compares the rows of those that may be near.
 */
import { alloc, allocZeroed, arenaMark, arenaReset } from '../runtime/arena';
import { bitmapBytes } from '../segment/layout';
import { bitmapAdd, bitmapAndCount, bitmapHas } from '../sets/bitmap';
import { Best, bestCreate, bestDrop, bestEntries, bestSort, Scored } from './best';
import { explore, MIN_VISITS } from './explore';
import { embeddedBitmap, quantizedOf, VECTORS_ONE_EACH, VectorsHeader, vectorOwner } from './layout';
import { probeCreate, probeValues } from './probe';
import { scanCodes, scanCreate, scanFirst, scanRows } from './scan-codes';
import { leastOf, Search } from './search-state';

/** Segments with at most this many bytes of values are searched by the values. */
const VALUES_BYTES: u64 = 1 << 18;
/**
 * Number of candidates beyond those wanted, because estimates may change their order: when a filter leaves what is far from the
 * query, hundreds of documents are equally near within the precision of the estimates.
 */
const SPARE: u32 = 160;
/**
 * Cost of a scan in vectors that an exploration visits (each of which is a cache miss): per code, per row that is near, and per
 * allowed row when few are allowed. Measured with 256 and 768 dimensions.
 */
const VISITS_PER_CODE: f64 = 0.006;
const VISITS_PER_ALLOWED: f64 = 0.009;
const VISITS_PER_ROW: f64 = 0.12;
/** Smallest number of wanted documents for the stopping rule, because a single very near one says little about the others. */
const MIN_WANTED: u32 = 10;
/** Standard deviation of a rounding error, in steps: 1 / √12. */
const ROUNDING: f32 = 0.28867513;
/** Standard deviations of the error of estimates from rows that are allowed for. */
const ROW_DEVIATIONS: f32 = 3;
/** Tolerance for cosines that are summed in 32-bit floats in another order. */
const SUMMATION: f32 = 1e-5;

/**
 * Prepares a search for `wanted` documents among those allowed. Returns 0 when the values of all vectors should be compared
 * instead, because there are few vectors or the query is a zero vector.
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
 * Scans the codes of the vectors from … end - 1 of allowed documents; `from`: a multiple of {@link BLOCK_VECTORS}. After all were
 * scanned, {@link searchNear} and then {@link searchRows} compare rows.
 */
export function searchCodes(pointer: usize, from: u32, end: u32, allowed: usize, ordinal: u32): void {
  const search = changetype<Search>(pointer);
  if (search.scan === 0) search.scan = changetype<usize>(scanCreate(search));
  scanCodes(search, from, end, allowed, ordinal);
}

/** Compares the rows of the vectors that are nearest by their codes. */
export function searchNear(pointer: usize): void {
  scanFirst(changetype<Search>(pointer));
}

/** Compares the rows of those of the others from … end - 1 that may be as near. */
export function searchRows(pointer: usize, from: u32, end: u32): void {
  scanRows(changetype<Search>(pointer), from, end);
}

/**
 * Explores the graph until that has cost as much as a scan. Returns false when nothing was found: there is no graph, or a scan
 * costs less.
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
 * Ends the search: sorts the candidates, adds documents with zero vectors, and returns the number of documents whose values must
 * be compared because they may be among the nearest. They are at {@link searchDocuments}.
 */
export function searchFinish(pointer: usize, allowed: usize, documents: u32): u32 {
  const search = changetype<Search>(pointer);
  const header = search.header;
  const vectors = changetype<VectorsHeader>(header);
  // In a graph the vectors of a document are visited independently, so a document may be counted several times.
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

/** u32[]: the documents counted by {@link searchFinish}. */
export function searchDocuments(pointer: usize): usize {
  return changetype<Search>(pointer).documents;
}
