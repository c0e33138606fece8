import type { Bucket } from './bucket.js';
import { Claims } from './claims.js';
import { type Interpretation, type QueryGraph, withoutDoubles } from './graph.js';
import type { NodeState } from './node.js';
import type { RankingRun } from './rank.js';
import type { RemovalGroups } from './removal.js';
import type { Rule } from './rules.js';

interface Variant {
  cost: number;
  kept: NodeState[];
}

/** The words rule: fewer dropped words are better. */
export function* wordsRule(run: RankingRun, rule: Rule, bucket: Bucket): Generator<Bucket> {
  const { space, graph } = run;
  const groups = run.groups as RemovalGroups;
  const { engine, reader } = space.sources;
  const byCost = new Map<number, Variant[]>();
  for (const path of bucket.live.paths) {
    for (const variant of variantsOf(path, groups)) {
      const list = byCost.get(variant.cost);
      if (list) list.push(variant);
      else byCost.set(variant.cost, [variant]);
    }
  }
  const max = 1 + Math.max(0, phraseWords(graph) - 1) + greatestSkip(graph, groups);
  const claims = new Claims(space, bucket.bitmap, bucket.count);
  for (const cost of [...byCost.keys()].sort((a, b) => a - b)) {
    claims.remove(run.dead);
    if (claims.isExhausted) return;
    const bitmap = reader.newBitmap();
    const live: Interpretation[] = [];
    for (const { kept } of byCost.get(cost) as Variant[]) {
      let documents = 0;
      const satisfiable = kept.every((state) => {
        documents = claims.narrow(documents, state.documents());
        return documents !== 0;
      });
      if (satisfiable && claims.take(documents, bitmap)) live.push(kept);
    }
    if (live.length === 0) continue;
    yield {
      bitmap,
      count: engine.bitmapCount(bitmap, reader.bitmapBytes),
      live: { paths: withoutDoubles(live), initial: false },
      context: bucket.context,
      step: { rule, rank: max - cost, max },
    };
  }
}

/** Ways of reading an interpretation: a node that is skipped forbids keeping later nodes of lower groups. */
function variantsOf(path: Interpretation, groups: RemovalGroups): Variant[] {
  const variants: Variant[] = [];
  const read = (index: number, floor: number, cost: number, kept: NodeState[]): void => {
    const state = path[index];
    if (!state) {
      variants.push({ cost, kept });
      return;
    }
    const group = groups.get(state.node) as number;
    if (group !== Number.POSITIVE_INFINITY) read(index + 1, Math.max(floor, group), cost + state.node.size, kept);
    if (group >= floor) read(index + 1, floor, cost, [...kept, state]);
  };
  read(0, 0, 0, []);
  return variants;
}

function phraseWords(graph: QueryGraph): number {
  return graph.terms
    .filter((term) => term.phrase)
    .reduce((sum, term) => sum + term.words.filter((word) => word !== null).length, 0);
}

/** The most term indexes that one interpretation may skip. */
function greatestSkip(graph: QueryGraph, groups: RemovalGroups): number {
  return graph.greatest((node) => (groups.get(node) === Number.POSITIVE_INFINITY ? 0 : node.size));
}
