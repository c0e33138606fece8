/** The word position of a node of one word, computed as the postings of its words are read: no occurrences are stored. */
import { alloc } from '../runtime/arena';
import { Context } from './context';
import { costsByPosition } from './position-costs';
import { leastPositionCost } from './positions';
import { areReadByPostings } from './source-groups';
import { sourceAt } from './sources';
import { findPostings, postingsOf, termPostingsCreate } from './term-postings';

/**
 * The costs of the documents of a context, like `positionComponent`; 0 if reading the words of these documents takes less time than reading
 * postings. `start`: position of the node in the query.
 */
export function nearestPlaces(contextPointer: usize, sources: usize, sourceCount: u32, start: u32): usize {
  const context = changetype<Context>(contextPointer);
  if (!areReadByPostings(context, sources, sourceCount)) return 0;
  const out = alloc(((<usize>context.count) << 1) + 16);
  memory.fill(out, 0xff, (<usize>context.count) << 1);
  const costs = costsByPosition(start);
  const found = termPostingsCreate(context);
  for (let s: u32 = 0; s < sourceCount; s++) {
    const source = sourceAt(sources, s);
    postingsOf(source, found);
    for (let term = source.from; term < source.to; term++) {
      findPostings(term, found);
      for (let at: usize = 0; at < (<usize>found.count) << 2; at += 4) {
        const to = out + ((<usize>load<u32>(found.indices + at)) << 1);
        const known: u32 = load<u16>(to);
        if (known === 0) continue;
        store<u16>(
          to,
          <u16>leastPositionCost(load<u32>(found.positions + at), load<u32>(found.lengths + at), costs, start, known),
        );
      }
    }
  }
  return out;
}
