import { placed } from '../../rules/pins.js';
import { ShownValues } from '../distinct-values.js';
import type { Window } from '../window.js';
import { compareHits, type ScoredHit } from './scores.js';

/**
 * Merges sorted lists, best first; of equal items that of the earlier list comes first. A list is only read when its previous item was
 * taken, so the cost depends on the page.
 * @param compare negative: the left item is better
 */
export function* mergeSorted<Item extends object>(
  lists: readonly Iterable<Item>[],
  compare: (left: Item, right: Item) => number,
): Generator<Item> {
  const iterators = lists.map((list) => list[Symbol.iterator]());
  const heads = iterators.map((iterator) => next(iterator));
  for (;;) {
    let best = -1;
    for (let list = 0; list < heads.length; list++) {
      const head = heads[list];
      if (head && (best < 0 || compare(head, heads[best] as Item) < 0)) best = list;
    }
    if (best < 0) return;
    yield heads[best] as Item;
    heads[best] = next(iterators[best] as Iterator<Item>);
  }
}

function next<Item>(iterator: Iterator<Item>): Item | null {
  const { done, value } = iterator.next();
  return done ? null : value;
}

export interface MergedPage<Hit> {
  hits: Hit[];
  /** The hits dropped because a better one has one of their values. */
  rejected: Hit[];
}

/**
 * The hits of a window of the merged list. Unless each value is to be shown once, the list is only read up to the end of the window.
 * @param lists sorted hits that are not pinned
 * @param pins by position; they are always kept, and exclude hits with one of their values
 * @param valuesOf the values of a hit of which each is to be shown once; null: there are none
 */
export function mergedPage<Hit extends ScoredHit>(
  lists: readonly Iterable<Hit>[],
  pins: readonly { position: number; hit: Hit }[],
  { from, to }: Pick<Window, 'from' | 'to'>,
  valuesOf: ((hit: Hit) => (number | string)[]) | null,
): MergedPage<Hit> {
  const page: MergedPage<Hit> = { hits: [], rejected: [] };
  const values = new ShownValues();
  if (valuesOf) for (const { hit } of pins) values.add(valuesOf(hit));
  function* kept(): Generator<Hit> {
    for (const hit of mergeSorted(lists, compareHits)) {
      if (!valuesOf || values.take(valuesOf(hit))) yield hit;
      else page.rejected.push(hit);
    }
  }
  let place = 0;
  for (const hit of placed(kept(), pins)) {
    if (place >= from && place < to) page.hits.push(hit);
    if (++place >= to && !valuesOf) break;
  }
  return page;
}
