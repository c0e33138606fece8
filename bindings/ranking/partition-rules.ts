import { NEAR_COSTS } from '../engine/exports.js';
import type { Bucket } from './bucket.js';
import { type Choice, type ChoiceRule, choiceRule, greatestSum } from './choice-rules.js';
import type { NodeState } from './node.js';
import {
  areParted,
  BY_POSITION,
  BY_WEIGHT,
  documentsOfCost,
  hasManyTerms,
  isLarge,
  MOST_POSITION_COST,
  type Partition,
  partitionLimits,
} from './partitions.js';
import { follows, greatestProximity } from './position-rules.js';
import { wordRuns } from './positions.js';
import type { RankingRun } from './rank.js';
import type { Rule } from './rules.js';
import type { Pair, Run } from './runs.js';

/** Runs of each of two neighbours in a segment: a word, the words that start with it, and those with one and two typos. */
const MOST_PAIRED_RUNS = 4;
/** The choices of all nodes are tried together: few nodes are worth it. */
const MOST_WEIGHTED_NODES = 3;
const MOST_PLACED_NODES = 2;

/** Attribute rank from sets of documents: one choice for each weight. */
const WEIGHTS: ChoiceRule = {
  choices: (state) => partition(state, BY_WEIGHT, state.node.size),
  greatest: (run, live) => greatestSum(run, live, (state) => run.space.attributes.maxWeight * state.node.size),
};

/** Word position from sets of documents: one choice for each cost. */
const POSITIONS: ChoiceRule = {
  choices: (state) => partition(state, BY_POSITION, 1),
  greatest: (run, live) => greatestSum(run, live, (state) => MOST_POSITION_COST * state.node.size),
};

/** Costs of two neighbours that stand together; more is far. */

/** Proximity from sets of documents: the first node costs nothing, each further one by how near it stands to the one before. */
const PROXIMITY: ChoiceRule = {
  choices: (state, left) => {
    if (left === null || !follows(left, state)) return [{ cost: 0, documents: () => state.documents(), next: state }];
    const near = (cost: number): Choice => ({ cost, documents: () => nearDocuments(left, state, cost), next: state });
    const far = { cost: NEAR_COSTS, documents: () => farDocuments(left, state), next: state };
    return [...Array.from({ length: NEAR_COSTS }, (_, cost) => near(cost)), far];
  },
  greatest: greatestProximity,
};

/** Documents where two neighbours stand so near each other and no nearer; 0: none. */
function nearDocuments(left: NodeState, right: NodeState, cost: number): number {
  const { sources, scratch } = right.node.space;
  const { engine, reader } = sources;
  return scratch.cached(`near ${cost} ${left.key} ${right.key}`, () => {
    const documents = reader.newBitmap();
    let count = 0;
    for (const pair of pairsOf(left, right)) count += sources.spread(pair[0], sources.pairSets(pair), cost, documents);
    for (let better = 0; better < cost && count > 0; better++) {
      const nearer = nearDocuments(left, right, better);
      if (nearer !== 0) engine.bitmapAndNot(documents, nearer, reader.bitmapBytes);
    }
    return count > 0 ? documents : 0;
  });
}

/** The other documents of the right one. */
function farDocuments(left: NodeState, right: NodeState): number {
  const { sources, scratch } = right.node.space;
  const { engine, reader } = sources;
  return scratch.cached(`far ${left.key} ${right.key}`, () => {
    const rest = reader.newBitmap();
    engine.bitmapCopy(rest, right.documents(), reader.bitmapBytes);
    for (let cost = 0; cost < NEAR_COSTS; cost++) {
      const nearer = nearDocuments(left, right, cost);
      if (nearer !== 0) engine.bitmapAndNot(rest, nearer, reader.bitmapBytes);
    }
    return rest;
  });
}

/** Runs of two neighbours that stand in one segment; the last member: may the second stand before the first? */
function pairsOf(left: NodeState, right: NodeState): Pair[] {
  const backwards = new Set(wordRuns(right, true).map(runKey));
  return wordRuns(left).flatMap((from) =>
    wordRuns(right)
      .filter((to) => to.segment === from.segment)
      .map((to): Pair => [from, to, backwards.has(runKey(to))]),
  );
}

const runKey = ({ segment, from, to }: Run): string => `${segment}:${from}:${to}`;

/** The choices of a state: one for each cost, `unit` times as dear. */
function partition(state: NodeState, kind: Partition, unit: number): Choice[] {
  return Array.from({ length: kind.costs(state) }, (_, cost) => ({
    cost: cost * unit,
    documents: () => documentsOfCost(state, kind, cost),
    next: state,
  }));
}

/** Attribute rank of a large bucket; null where positions must be read. */
export function weightRule(run: RankingRun, rule: Rule, bucket: Bucket): Generator<Bucket> | null {
  return isParted(run, bucket, BY_WEIGHT, MOST_WEIGHTED_NODES) ? choiceRule(run, rule, bucket, WEIGHTS) : null;
}

/** Word position of a large bucket; null where positions must be read. */
export function placeRule(run: RankingRun, rule: Rule, bucket: Bucket): Generator<Bucket> | null {
  return isParted(run, bucket, BY_POSITION, MOST_PLACED_NODES) ? choiceRule(run, rule, bucket, POSITIONS) : null;
}

/** The sets of a word that decides alone are made at once; those of several are paid for where their positions are read. */
function isParted(run: RankingRun, { live, count }: Bucket, kind: Partition, mostNodes: number): boolean {
  const large = isLarge(count, run.space.sources);
  return live.paths.every((path) => {
    if (path.length > 1) return large && path.length <= mostNodes && areParted(path, kind, 0);
    return (large || path.some(hasManyTerms)) && areParted(path, kind, Number.POSITIVE_INFINITY);
  });
}

/** Proximity of a large bucket; null where positions must be read. */
export function nearRule(run: RankingRun, rule: Rule, bucket: Bucket): Generator<Bucket> | null {
  const { sources } = run.space;
  if (!sources.canKeepPairs || !isLarge(bucket.count, sources)) return null;
  const possible = bucket.live.paths.every(
    (path) =>
      path.length > 1 &&
      path.every((state) => isPlainWord(state) && wordRuns(state).length <= MOST_PAIRED_RUNS * sources.reader.segments.length),
  );
  if (!possible) return null;
  // interpretations share neighbours: each pair is paid for once
  const pairs = new Map<string, Pair>();
  for (const path of bucket.live.paths) {
    for (const [index, state] of path.entries()) {
      const left = path[index - 1];
      if (left && follows(left, state)) for (const pair of pairsOf(left, state)) pairs.set(sources.pairKey(pair), pair);
    }
  }
  const postings = bucket.count * partitionLimits.postingsADocument;
  return sources.keepsPairSets([...pairs.values()], postings) ? choiceRule(run, rule, bucket, PROXIMITY) : null;
}

/** Does the state stand for words alone? */
function isPlainWord(state: NodeState): boolean {
  return state.node.size === 1 && !state.node.phrases.some(({ kind }) => kind !== 'split' || state.allows(1));
}
