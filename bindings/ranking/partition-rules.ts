import type { Bucket } from './bucket.js';
import { type Choice, type ChoiceRule, choiceRule, greatestSum } from './choice-rules.js';
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
  choices: (state) => partition(state, WEIGHT_SETS, state.node.size),
  greatest: (run, live) => greatestSum(run, live, (state) => run.space.attributes.maxWeight * state.node.size),
};

/** Word position from sets of documents: one choice for each cost. */
const POSITIONS: ChoiceRule = {
  choices: (state) => partition(state, POSITION_SETS, 1),
  greatest: (run, live) => greatestSum(run, live, (state) => (POSITION_COSTS - 1) * state.node.size),
};

/** Costs of two neighbours that stand together; more is far. */
const NEAR_COSTS = 3;

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
    for (const [from, to, backward] of pairsOf(left, right)) {
      count += sources.spread(from, sources.pairSets(from, to, backward), cost, documents);
    }
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
function pairsOf(left: NodeState, right: NodeState): [Run, Run, boolean][] {
  const backwards = new Set(wordRuns(right, true).map(runKey));
  return wordRuns(left).flatMap((from) =>
    wordRuns(right)
      .filter((to) => to.segment === from.segment)
      .map((to): [Run, Run, boolean] => [from, to, backwards.has(runKey(to))]),
  );
}

const runKey = ({ segment, from, to }: Run): string => `${segment}:${from}:${to}`;

/** A way to part the documents of a run by cost. */
interface Partition {
  name: string;
  costs(state: NodeState): number;
  /** Address of the sets of a run; 0 when there is no room. */
  sets(state: NodeState, run: Run): number;
}

const WEIGHT_SETS: Partition = {
  name: 'weight',
  costs: (state) => state.node.space.attributes.maxWeight + 1,
  sets: (state, run) => {
    const { sources, attributes } = state.node.space;
    return sources.weightSets(run, attributes.weights, attributes.maxWeight + 1, attributes.scheme);
  },
};

const POSITION_SETS: Partition = {
  name: 'position',
  costs: () => POSITION_COSTS,
  sets: (state, run) => state.node.space.sources.positionSets(run, state.node.start),
};

/** The choices of a state: one for each cost, `unit` times as dear. */
function partition(state: NodeState, kind: Partition, unit: number): Choice[] {
  return Array.from({ length: kind.costs(state) }, (_, cost) => ({
    cost: cost * unit,
    documents: () => documentsOfCost(state, kind, cost),
    next: state,
  }));
}

/**
 * Documents of a state with a cost, those of lower costs left out, put together from the sets of the runs of its words; the first
 * word of a phrase counts in the documents that match the phrase. 0: none.
 */
function documentsOfCost(state: NodeState, kind: Partition, cost: number): number {
  const { sources, scratch } = state.node.space;
  const { engine, reader } = sources;
  const bytes = reader.bitmapBytes;
  return scratch.cached(`${kind.name} ${cost} ${state.key}`, () => {
    const all = reader.newBitmap();
    let count = 0;
    let parts = 0;
    for (const { runs, within } of wordSources(state, 'leading')) {
      const own = within === 0 ? all : reader.newBitmap();
      for (const run of runs) count += sources.spread(run, kind.sets(state, run), cost, own);
      parts += runs.length;
      if (own === all) continue;
      engine.bitmapAnd(own, within, bytes);
      engine.bitmapOr(all, own, bytes);
    }
    if (count === 0) return 0;
    // the sets of one run have no document in common
    for (let better = 0; better < cost && parts > 1; better++) {
      const documents = documentsOfCost(state, kind, better);
      if (documents !== 0) engine.bitmapAndNot(all, documents, bytes);
    }
    return all;
  });
}

/** Attribute rank of a large bucket; null where positions must be read. */
export function weightRule(run: RankingRun, rule: Rule, bucket: Bucket): Generator<Bucket> | null {
  const { restricted, maxWeight } = run.space.attributes;
  const possible =
    !restricted && maxWeight > 0 && maxWeight < MOST_WEIGHTS && isWorthwhile(run, bucket, WEIGHT_SETS, MOST_WEIGHTED_NODES);
  return possible ? choiceRule(run, rule, bucket, WEIGHTS) : null;
}

/** Word position of a large bucket; null where positions must be read. */
export function placeRule(run: RankingRun, rule: Rule, bucket: Bucket): Generator<Bucket> | null {
  const single = bucket.live.paths.every((path) => path.every(({ node }) => node.size === 1));
  return single && isWorthwhile(run, bucket, POSITION_SETS, MOST_PLACED_NODES) ? choiceRule(run, rule, bucket, POSITIONS) : null;
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
      return !left || !follows(left, state) || pairsOf(left, state).every((pair) => sources.pairSets(...pair) !== 0);
    }),
  );
  return kept ? choiceRule(run, rule, bucket, PROXIMITY) : null;
}

/**
 * Is the bucket large, or are the words of one node many, and would partitioning them not read far more postings than the bucket
 * asks for?
 */
function isWorthwhile(run: RankingRun, bucket: Bucket, kind: Partition, mostNodes: number): boolean {
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
      wordSources(state, 'leading').every((source) => source.runs.every((each) => kind.sets(state, each) !== 0)),
    );
  });
}

/** Does the state stand for words alone? */
function isPlainWord(state: NodeState): boolean {
  return state.node.size === 1 && !state.node.phrases.some(({ kind }) => kind !== 'split' || state.allows(1));
}
