import { bytesOfDocs, type OpenSegment } from '../engine/segments.js';
import type { Bucket } from './bucket.js';
import { type ChoiceRule, choiceRule } from './choice-rules.js';
import type { NodeState } from './node.js';
import { wordRuns } from './positions.js';
import type { RankingRun } from './rank.js';
import type { Rule } from './rules.js';
import { POSITION_COSTS, type Run } from './runs.js';

/** Most weights for which the documents of a word are kept by weight. */
const MOST_WEIGHTS = 8;
/** Smaller buckets are read document by document, unless their words are many. */
const LARGE_BUCKET = 512;
/** Terms of a state from which its occurrences are dear to read. */
const MANY_TERMS = 1024;
/** Each run of terms is partitioned on its own: few are worth it. */
const MOST_RUNS = 16;

/** Attribute rank from sets of documents: one choice for each weight. */
const WEIGHTS: ChoiceRule = {
  choices: (state) => {
    const { sources, attributes } = state.node.space;
    const count = attributes.maxWeight + 1;
    const parts = partition(state, count, `weights ${state.key}`, (run) =>
      sources.weightPartition(run, attributes.weights, count, attributes.scheme),
    );
    return parts.map((documents, weight) => ({ cost: weight * state.node.size, documents, next: state }));
  },
  most: (state) => state.node.space.attributes.maxWeight * state.node.size,
};

/** Word position from sets of documents: one choice for each cost. */
const POSITIONS: ChoiceRule = {
  choices: (state) => {
    const { sources } = state.node.space;
    const { start } = state.node;
    const parts = partition(state, POSITION_COSTS, `positions ${state.key}`, (run) => sources.positionPartition(run, start));
    return parts.map((documents, cost) => ({ cost, documents, next: state }));
  },
  most: (state) => (POSITION_COSTS - 1) * state.node.size,
};

/** Addresses of the documents of a state by cost, those of lower costs left out, put together from the partitions of its runs. */
function partition(state: NodeState, count: number, key: string, partOf: (run: Run) => number): number[] {
  const { sources, scratch } = state.node.space;
  const { engine, reader } = sources;
  const bytes = reader.bitmapBytes;
  const first = scratch.cached(key, () => {
    const all = engine.allocZeroed(bytes * count) >>> 0;
    for (const run of wordRuns(state)) {
      const segment = reader.segments[run.segment] as OpenSegment;
      const part = partOf(run);
      const partBytes = bytesOfDocs(segment.ref.docCount);
      for (let cost = 0; cost < count; cost++) {
        engine.bitmapOr(all + cost * bytes + segment.base / 8, part + cost * partBytes, partBytes);
      }
    }
    for (let worse = 1; worse < count; worse++) {
      for (let better = 0; better < worse; better++) engine.bitmapAndNot(all + worse * bytes, all + better * bytes, bytes);
    }
    return all;
  });
  return Array.from({ length: count }, (_, cost) => first + cost * bytes);
}

/** Attribute rank of a large bucket; null where positions must be read. */
export function weightRule(run: RankingRun, rule: Rule, bucket: Bucket): Generator<Bucket> | null {
  const { restricted, maxWeight } = run.space.attributes;
  const possible = !restricted && maxWeight > 0 && maxWeight < MOST_WEIGHTS && isPlain(run, bucket, MOST_WEIGHTS);
  return possible ? choiceRule(run, rule, bucket, WEIGHTS) : null;
}

/** Word position of a large bucket; null where positions must be read. */
export function placeRule(run: RankingRun, rule: Rule, bucket: Bucket): Generator<Bucket> | null {
  return isPlain(run, bucket, POSITION_COSTS) ? choiceRule(run, rule, bucket, POSITIONS) : null;
}

/** Is every interpretation one plain word, and is the bucket large or the words many? */
function isPlain(run: RankingRun, bucket: Bucket, parts: number): boolean {
  const { segments, instance, bitmapBytes } = run.space.sources.reader;
  if (bitmapBytes * parts > instance.call('persistentRoom') / 4) return false;
  if (segments.some((segment) => segment.instance !== instance)) return false;
  return bucket.live.paths.every((path) => {
    const [state] = path;
    if (path.length !== 1 || !state || state.node.size > 1 || state.node.phrases.length > 0) return false;
    const runs = wordRuns(state);
    if (runs.length > MOST_RUNS) return false;
    return bucket.count >= LARGE_BUCKET || runs.reduce((sum, { from, to }) => sum + to - from, 0) >= MANY_TERMS;
  });
}
