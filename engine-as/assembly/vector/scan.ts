/** Exact search: compares every vector of the allowed documents. */

import { alloc } from '../runtime/arena';
import { bitmapAdd, bitmapHas } from '../sets/bitmap';
import { bestOffer } from './best';
import { binarySimilarity, setBits } from './binary';
import { cosineSimilarity, normF32 } from './cosine';
import { binaryWords, VectorsHeader, vectorBits, vectorOrdinal, vectorOwner, vectorStart } from './layout';

/** Vectors with any ordinal are compared. */
export const ANY_ORDINAL: u32 = 0xffffffff;

/**
 * Offers the allowed documents `from` … `end` - 1, each with its nearest vector. `rows`: the f32 values of their vectors,
 * starting with document `from`; `query`: f32. `ordinal`: only vectors with it are compared.
 */
export function scanValues(
  header: usize,
  query: usize,
  rows: usize,
  from: u32,
  end: u32,
  allowed: usize,
  ordinal: u32,
  best: usize,
): void {
  const dimensions = changetype<VectorsHeader>(header).dimensions;
  const queryNorm = normF32(query, dimensions);
  const rowBytes = (<usize>dimensions) << 2;
  const first = vectorStart(header, from);
  for (let document = from; document < end; document++) {
    if (!bitmapHas(allowed, document)) continue;
    const last = vectorStart(header, document + 1);
    let nearest: f32 = -1;
    for (let vector = vectorStart(header, document); vector < last; vector++) {
      if (ordinal !== ANY_ORDINAL && vectorOrdinal(header, vector) !== ordinal) continue;
      const row = rows + <usize>(vector - first) * rowBytes;
      nearest = max<f32>(nearest, cosineSimilarity(query, queryNorm, row, dimensions));
    }
    if (nearest >= 0) bestOffer(best, nearest, document);
  }
}

/** The same for binary vectors, which are resident. `query`: f32, converted to bits like the vectors. */
export function scanBits(header: usize, query: usize, from: u32, end: u32, allowed: usize, ordinal: u32, best: usize): void {
  const dimensions = changetype<VectorsHeader>(header).dimensions;
  const words = binaryWords(dimensions);
  const bits = alloc((<usize>words) << 3);
  setBits(query, dimensions, bits);
  for (let document = from; document < end; document++) {
    if (!bitmapHas(allowed, document)) continue;
    const last = vectorStart(header, document + 1);
    let nearest: f32 = -1;
    for (let vector = vectorStart(header, document); vector < last; vector++) {
      if (ordinal !== ANY_ORDINAL && vectorOrdinal(header, vector) !== ordinal) continue;
      nearest = max<f32>(nearest, binarySimilarity(bits, vectorBits(header, vector), words));
    }
    if (nearest >= 0) bestOffer(best, nearest, document);
  }
}

/** Adds the documents that have a vector with an ordinal to a bitmap over the segment. */
export function ordinalInto(header: usize, ordinal: u32, bitmap: usize): void {
  const vectors = changetype<VectorsHeader>(header);
  for (let vector: u32 = 0; vector < vectors.vectorCount; vector++) {
    if (vectorOrdinal(header, vector) === ordinal) bitmapAdd(bitmap, vectorOwner(header, vector));
  }
}
