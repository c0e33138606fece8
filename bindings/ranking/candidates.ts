import { type Interpretation, type LiveInterpretations, withoutDoubles } from './graph.js';
import type { NodeSpace } from './node.js';
import type { RemovalGroups } from './removal.js';

/**
 * Documents of a universe that match the query: that satisfy an interpretation, reduced as far as the strategy allows. `groups`:
 * null when nothing may be dropped. Answers a new bitmap.
 */
export function candidates(space: NodeSpace, live: LiveInterpretations, groups: RemovalGroups | null, universe: number): number {
  const { engine, reader } = space.sources;
  const bytes = reader.bitmapBytes;
  const matching = reader.newBitmap();
  const reduced = groups
    ? withoutDoubles(live.paths.map((path) => path.filter((state) => groups.get(state.node) === Infinity)))
    : live.paths;
  for (const path of reduced) {
    const documents = satisfying(space, path, universe);
    if (documents !== 0) engine.bitmapOr(matching, documents, bytes);
  }
  return matching;
}

/** Documents of a universe that satisfy all the nodes of an interpretation; 0 when there is none. */
function satisfying(space: NodeSpace, path: Interpretation, universe: number): number {
  const { engine, reader } = space.sources;
  const documents = reader.newBitmap();
  engine.bitmapCopy(documents, universe, reader.bitmapBytes);
  for (const state of path) {
    const own = state.documents();
    if (own === 0) return 0;
    engine.bitmapAnd(documents, own, reader.bitmapBytes);
  }
  return documents;
}
