import { compareHits, type ScoredHit } from './scores.js';

/**
 * Merges lists of hits, each best first, into one. Only heads are looked at, and the next hit of a list is asked for when the one
 * before was taken: a page costs what it shows.
 */
export function* mergeHits<Hit extends ScoredHit>(lists: readonly Iterable<Hit>[]): Generator<Hit> {
  const iterators = lists.map((list) => list[Symbol.iterator]());
  const heads = iterators.map((iterator) => next(iterator));
  for (;;) {
    let best = -1;
    for (let list = 0; list < heads.length; list++) {
      const head = heads[list];
      if (head && (best < 0 || compareHits(head, heads[best] as Hit) < 0)) best = list;
    }
    if (best < 0) return;
    yield heads[best] as Hit;
    heads[best] = next(iterators[best] as Iterator<Hit>);
  }
}

function next<Hit>(iterator: Iterator<Hit>): Hit | null {
  const { done, value } = iterator.next();
  return done ? null : value;
}
