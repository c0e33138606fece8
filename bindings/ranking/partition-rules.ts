import { bytesOfDocs, type OpenSegment } from '../engine/segments.js';
import type { Bucket } from './bucket.js';
import { type ChoiceRule, choiceRule, greatestSum } from './choice-rules.js';
import type { NodeState } from './node.js';
import { follows, greatestProximity } from './position-rules.js';
import { wordRuns, wordSources } from './positions.js';
import type { RankingRun } from './rank.js';
import type { Rule } from './rules.js';
import { POSITION_COSTS, type Run } from './runs.js';

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
  greatest: (run, live) => greatestSum(run, live, (state) => run.space.attributes.maxWeight * state.node.size),
};

/** Word position from sets of documents: one choice for each cost. */
const POSITIONS: ChoiceRule = {
  choices: (state) => {
    const { sources } = state.node.space;
    const { start } = state.node;
    const parts = partition(state, POSITION_COSTS, `positions ${state.key}`, (run) => sources.positionPartition(run, start));
    return parts.map((documents, cost) => ({ cost, documents, next: state }));
  },
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
  const backwards = new Set(wordRuns(right, true));
  for (const from of wordRuns(left)) {
    for (const to of wordRuns(right)) {
      if (from.segment !== to.segment) continue;
      const segment = reader.segments[from.segment] as OpenSegment;
      const part = sources.pairPartition(from, to, backwards.has(to));
      const partBytes = bytesOfDocs(segment.ref.docCount);
      for (let cost = 0; cost < NEAR_COSTS; cost++) {
        engine.bitmapOr(all + cost * bytes + segment.base / 8, part + cost * partBytes, partBytes);
      }
    }
  }
  for (let worse = 1; worse < NEAR_COSTS; worse++) {
    for (let better = 0; better < worse; better++) engine.bitmapAndNot(all + worse * bytes, all + better * bytes, bytes);
  }
  return all;
}

/**
 * Addresses of the documents of a state by cost, those of lower costs left out, put together from the partitions of the runs of its
 * words; the first word of a phrase counts in the documents that match the phrase.
 */
function partition(state: NodeState, count: number, key: string, partOf: (run: Run) => number): number[] {
  const { sources, scratch } = state.node.space;
  const { engine, reader } = sources;
  const bytes = reader.bitmapBytes;
  const first = scratch.cached(key, () => {
    const all = engine.allocZeroed(bytes * count) >>> 0;
    for (const { runs, within } of wordSources(state, 'leading')) {
      const own = within === 0 ? all : engine.allocZeroed(bytes * count) >>> 0;
      for (const run of runs) {
        const segment = reader.segments[run.segment] as OpenSegment;
        const part = partOf(run);
        const partBytes = bytesOfDocs(segment.ref.docCount);
        for (let cost = 0; cost < count; cost++) {
          engine.bitmapOr(own + cost * bytes + segment.base / 8, part + cost * partBytes, partBytes);
        }
      }
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

/** Attribute rank of a large bucket; null where positions must be read. */
export function weightRule(run: RankingRun, rule: Rule, bucket: Bucket): Generator<Bucket> | null {
  const { restricted, maxWeight } = run.space.attributes;
  const possible =
    !restricted && maxWeight > 0 && maxWeight < MOST_WEIGHTS && isWorthwhile(run, bucket, MOST_WEIGHTS, MOST_WEIGHTED_NODES);
  return possible ? choiceRule(run, rule, bucket, WEIGHTS) : null;
}

/** Word position of a large bucket; null where positions must be read. */
export function placeRule(run: RankingRun, rule: Rule, bucket: Bucket): Generator<Bucket> | null {
  const single = bucket.live.paths.every((path) => path.every(({ node }) => node.size === 1));
  return single && isWorthwhile(run, bucket, POSITION_COSTS, MOST_PLACED_NODES) ? choiceRule(run, rule, bucket, POSITIONS) : null;
}

/** Proximity of a large bucket; null where positions must be read. */
export function nearRule(run: RankingRun, rule: Rule, bucket: Bucket): Generator<Bucket> | null {
  const { sources } = run.space;
  if (sources.reader.view.settings.proximityPrecision === 'byAttribute' || bucket.count < partitionLimits.largeBucket)
    return null;
  if (!hasRoom(run, NEAR_COSTS)) return null;
  const possible = bucket.live.paths.every(
    (path) =>
      path.length > 1 &&
      path.every((state) => isPlainWord(state) && wordRuns(state).length <= MOST_PAIRED_RUNS * sources.reader.segments.length),
  );
  return possible ? choiceRule(run, rule, bucket, PROXIMITY) : null;
}

/**
 * Is the bucket large, or are the words of one node many, and would partitioning them not read far more postings than the bucket
 * asks for?
 */
function isWorthwhile(run: RankingRun, bucket: Bucket, parts: number, mostNodes: number): boolean {
  const { sources } = run.space;
  if (!hasRoom(run, parts)) return false;
  return bucket.live.paths.every((path) => {
    if (path.length > mostNodes) return false;
    const runs = path.flatMap((state) => wordSources(state, 'leading').flatMap((source) => source.runs));
    if (runs.length > MOST_RUNS) return false;
    const terms = runs.reduce((sum, { from, to }) => sum + to - from, 0);
    if (path.length === 1 && terms >= MANY_TERMS) return true;
    if (bucket.count < partitionLimits.largeBucket) return false;
    const postings = runs.reduce((sum, each) => sum + sources.postingsOf(each), 0);
    return postings <= bucket.count * partitionLimits.postingsADocument;
  });
}

/** Does the state stand for words alone? */
function isPlainWord(state: NodeState): boolean {
  return state.node.size === 1 && !state.node.phrases.some(({ kind }) => kind !== 'split' || state.allows(1));
}

/** Can so many bitmaps be kept, and are all segments where they can be read? */
function hasRoom(run: RankingRun, bitmaps: number): boolean {
  const { segments, instance, bitmapBytes } = run.space.sources.reader;
  return (
    bitmapBytes * bitmaps <= instance.call('persistentRoom') / 4 && segments.every((segment) => segment.instance === instance)
  );
}
