import { compareHits, type ScoredHit } from './scores.js';

/**
 * Merges sorted lists of hits, best first. A list is only read when its previous hit was taken, so the cost depends on the page.
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
