/** Candidates of a search over quantised vectors. As cosines are estimates, more candidates than wanted are collected. */
import { Best, bestOffer, Scored } from './best';
import { Search } from './search';

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
