/** The state of a search over quantised vectors, and its candidates. As cosines are estimates, more candidates than wanted are collected. */
import { Best, bestOffer, Scored } from './best';

@unmanaged
export class Search {
  header: usize;
  quantized: usize;
  probe: usize;
  /** number of documents wanted */
  wanted: u32;
  /** average number of vectors of a document that has some, rounded up */
  vectorsEach: u32;
  /** Best, by estimates; a document with several vectors may occur several times */
  candidates: usize;
  /** Best: the wanted number of them */
  nearest: usize;
  /** bound of the error of estimates from rows */
  error: f32;
  /**
   * documents whose estimate from a row is below this are not among the nearest, judged by documents other than those in {@link
   * nearest}
   */
  least: f32;
  /** Scan; 0: not begun */
  scan: usize;
  /** number of documents that are allowed and have vectors */
  allowedCount: u32;
  /** u32[]: the documents listed by searchFinish */
  documents: usize;
}

/** Offers a document with the estimated cosine of one of its vectors. */
export function offer(search: Search, cosine: f32, document: u32): void {
  bestOffer(search.candidates, cosine, document);
  bestOffer(search.nearest, cosine, document);
}

/** The lowest estimate at which a document can still be among the wanted ones. */
export function leastOf(search: Search): f32 {
  const candidates = changetype<Best>(search.candidates);
  let least = search.least;
  if (candidates.count === candidates.limit) least = max<f32>(least, changetype<Scored>(candidates.entries).similarity);
  const nearest = changetype<Best>(search.nearest);
  if (nearest.count === nearest.limit) least = max<f32>(least, changetype<Scored>(nearest.entries).similarity - 2 * search.error);
  return least;
}
