import type { Bucket } from './bucket.js';
import { type ChoiceRule, choiceRule, greatestSum } from './choice-rules.js';
import type { NodeState } from './node.js';
import { follows, greatestProximity } from './position-rules.js';
import { wordRuns, wordSources } from './positions.js';
import type { RankingRun } from './rank.js';
import type { Rule } from './rules.js';
import type { Run } from './runs.js';

/** Most weights for which the documents of a word are kept by weight. */
const MOST_WEIGHTS = 8;
/**
 * Smaller buckets are read document by document, unless their words are many. Not a constant, so that tests can send small corpora
 * down this road too.
 */
export const partitionLimits = { largeBucket: 512, postingsADocument: 16 };
/** Terms of a state from which its occurrences are dear to read. */
const MANY_TERMS = 1024;
/** Runs of each of two neighbours: a word and the words that start with it. */
const MOST_PAIRED_RUNS = 2;
/** Each run of terms is partitioned on its own: few are worth it. */
const MOST_RUNS = 16;
/** The choices of all nodes are tried together: few nodes are worth it. */
const MOST_WEIGHTED_NODES = 3;
const MOST_PLACED_NODES = 2;

/** Costs of the word position rule for one word: 0 to 10. */
const POSITION_COSTS = 11;

/** Attribute rank from sets of documents: one choice for each weight. */
const WEIGHTS: ChoiceRule = {
  choices: (state) => {
    const count = state.node.space.attributes.maxWeight + 1;
    const parts = partition(state, 'weight', count);
    return parts.map((documents, weight) => ({ cost: weight * state.node.size, documents, next: state }));
  },
  greatest: (run, live) => greatestSum(run, live, (state) => run.space.attributes.maxWeight * state.node.size),
};

/** Word position from sets of documents: one choice for each cost. */
const POSITIONS: ChoiceRule = {
  choices: (state) => partition(state, 'position', POSITION_COSTS).map((documents, cost) => ({ cost, documents, next: state })),
  greatest: (run, live) => greatestSum(run, live, (state) => (POSITION_COSTS - 1) * state.node.size),
};

/** Costs of two neighbours that stand together; more is far. */
const NEAR_COSTS = 3;

/** Proximity from sets of documents: the first node costs nothing, each further one by how near it stands to the one before. */
const PROXIMITY: ChoiceRule = {
  choices: (state, left) => {
    if (left === null || !follows(left, state)) return [{ cost: 0, documents: state.documents(), next: state }];
    const { sources, scratch } = state.node.space;
    const { engine, reader } = sources;
    const bytes = reader.bitmapBytes;
    const first = scratch.cached(`near ${left.key} ${state.key}`, () => nearDocuments(left, state));
    const near = Array.from({ length: NEAR_COSTS }, (_, cost) => ({ cost, documents: first + cost * bytes, next: state }));
    const far = scratch.cached(`far ${left.key} ${state.key}`, () => {
      const rest = reader.newBitmap();
      engine.bitmapCopy(rest, state.documents(), bytes);
      for (const { documents } of near) engine.bitmapAndNot(rest, documents, bytes);
      return rest;
    });
    return [...near, { cost: NEAR_COSTS, documents: far, next: state }];
  },
  greatest: greatestProximity,
};

/** Documents by how near two neighbours stand: three bitmaps, one after the other, of which each document is in one at most. */
function nearDocuments(left: NodeState, right: NodeState): number {
  const { sources } = left.node.space;
  const { engine, reader } = sources;
  const bytes = reader.bitmapBytes;
  const all = engine.allocZeroed(bytes * NEAR_COSTS) >>> 0;
  for (const [from, to, backward] of pairsOf(left, right)) {
    sources.spreadPair(from, sources.pairCosts(from, to, backward), all, bytes, NEAR_COSTS);
  }
  for (let worse = 1; worse < NEAR_COSTS; worse++) {
    for (let better = 0; better < worse; better++) engine.bitmapAndNot(all + worse * bytes, all + better * bytes, bytes);
  }
  return all;
}

/** Runs of two neighbours that stand in one segment; the last member: may the second stand before the first? */
function pairsOf(left: NodeState, right: NodeState): [Run, Run, boolean][] {
  const backwards = new Set(wordRuns(right, true).map(runKey));
  return wordRuns(left).flatMap((from) =>
    wordRuns(right)
      .filter((to) => to.segment === from.segment)
      .map((to): [Run, Run, boolean] => [from, to, backwards.has(runKey(to))]),
  );
}

const runKey = ({ segment, from, to }: Run): string => `${segment}:${from}:${to}`;

/**
 * Addresses of the documents of a state by cost, those of lower costs left out, put together from the partitions of the runs of its
 * words; the first word of a phrase counts in the documents that match the phrase.
 */
function partition(state: NodeState, kind: 'weight' | 'position', count: number): number[] {
  const { sources, scratch } = state.node.space;
  const { engine, reader } = sources;
  const bytes = reader.bitmapBytes;
  const first = scratch.cached(`${kind} ${state.key}`, () => {
    const all = engine.allocZeroed(bytes * count) >>> 0;
    for (const { runs, within } of wordSources(state, 'leading')) {
      const own = within === 0 ? all : engine.allocZeroed(bytes * count) >>> 0;
      for (const run of runs) sources.spreadCosts(run, costsOf(state, run), kind, own);
      if (own === all) continue;
      for (let cost = 0; cost < count; cost++) {
        engine.bitmapAnd(own + cost * bytes, within, bytes);
        engine.bitmapOr(all + cost * bytes, own + cost * bytes, bytes);
      }
    }
    for (let worse = 1; worse < count; worse++) {
      for (let better = 0; better < worse; better++) engine.bitmapAndNot(all + worse * bytes, all + better * bytes, bytes);
    }
    return all;
  });
  return Array.from({ length: count }, (_, cost) => first + cost * bytes);
}

function costsOf(state: NodeState, run: Run): number {
  const { sources, attributes } = state.node.space;
  return sources.runCosts(run, attributes.weights, attributes.scheme, state.node.start);
}

/** Attribute rank of a large bucket; null where positions must be read. */
export function weightRule(run: RankingRun, rule: Rule, bucket: Bucket): Generator<Bucket> | null {
  const { restricted, maxWeight } = run.space.attributes;
  const possible = !restricted && maxWeight > 0 && maxWeight < MOST_WEIGHTS && isWorthwhile(run, bucket, MOST_WEIGHTED_NODES);
  return possible ? choiceRule(run, rule, bucket, WEIGHTS) : null;
}

/** Word position of a large bucket; null where positions must be read. */
export function placeRule(run: RankingRun, rule: Rule, bucket: Bucket): Generator<Bucket> | null {
  const single = bucket.live.paths.every((path) => path.every(({ node }) => node.size === 1));
  return single && isWorthwhile(run, bucket, MOST_PLACED_NODES) ? choiceRule(run, rule, bucket, POSITIONS) : null;
}

/** Proximity of a large bucket; null where positions must be read. */
export function nearRule(run: RankingRun, rule: Rule, bucket: Bucket): Generator<Bucket> | null {
  const { sources } = run.space;
  if (!sources.keepsPairs || bucket.count < partitionLimits.largeBucket) return null;
  const possible = bucket.live.paths.every(
    (path) =>
      path.length > 1 &&
      path.every((state) => isPlainWord(state) && wordRuns(state).length <= MOST_PAIRED_RUNS * sources.reader.segments.length),
  );
  if (!possible) return null;
  const kept = bucket.live.paths.every((path) =>
    path.every((state, index) => {
      const left = path[index - 1];
      return !left || !follows(left, state) || pairsOf(left, state).every((pair) => sources.pairCosts(...pair) !== 0);
    }),
  );
  return kept ? choiceRule(run, rule, bucket, PROXIMITY) : null;
}

/**
 * Is the bucket large, or are the words of one node many, and would partitioning them not read far more postings than the bucket
 * asks for?
 */
function isWorthwhile(run: RankingRun, bucket: Bucket, mostNodes: number): boolean {
  const { sources } = run.space;
  if (!sources.inOneMemory) return false;
  return bucket.live.paths.every((path) => {
    if (path.length > mostNodes) return false;
    const runs = path.flatMap((state) => wordSources(state, 'leading').flatMap((source) => source.runs));
    if (runs.length > MOST_RUNS) return false;
    const terms = runs.reduce((sum, { from, to }) => sum + to - from, 0);
    const large = bucket.count >= partitionLimits.largeBucket;
    if (!large && !(path.length === 1 && terms >= MANY_TERMS)) return false;
    const postings = runs.reduce((sum, each) => sum + sources.postingsOf(each), 0);
    if (path.length > 1 && postings > bucket.count * partitionLimits.postingsADocument) return false;
    return path.every((state) =>
      wordSources(state, 'leading').every((source) => source.runs.every((each) => costsOf(state, each) !== 0)),
    );
  });
}

/** Does the state stand for words alone? */
function isPlainWord(state: NodeState): boolean {
  return state.node.size === 1 && !state.node.phrases.some(({ kind }) => kind !== 'split' || state.allows(1));
}
