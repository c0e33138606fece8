import { IMPOSSIBLE } from '../engine/exports.js';
import type { Bucket } from './bucket.js';
import { Claims } from './claims.js';
import type { Interpretation, LiveInterpretations } from './graph.js';
import type { NodeState } from './node.js';
import { BY_POSITION, BY_WEIGHT, MOST_POSITION_COST, partedComponent } from './partitions.js';
import { PositionContext } from './positions.js';
import type { RankingRun } from './rank.js';
import type { Rule } from './rules.js';

const FAR_COST = 3;
/** A new context is made when a bucket is that much smaller than the one whose occurrences were read. */
const MUCH_SMALLER = 8;

/** A rule whose cost is a sum of components that are read from positions. */
interface PositionRule {
  /** Addresses of the components of an interpretation, or null when no document satisfies it. */
  components(run: RankingRun, context: PositionContext, path: Interpretation): number[] | null;
  /** The greatest cost of the interpretations. */
  greatest(run: RankingRun, live: LiveInterpretations): number;
}

const termsOf = (path: Interpretation): number => path.reduce((sum, state) => sum + state.node.size, 0);
const mostTerms = (run: RankingRun, live: LiveInterpretations): number =>
  live.initial ? run.graph.terms.length : Math.max(0, ...live.paths.map(termsOf));

/** Nothing was typed between two nodes. */
export const follows = (left: NodeState, right: NodeState): boolean => left.node.end + 1 === right.node.start;

const PROXIMITY: PositionRule = {
  components(run, context, path) {
    const components: number[] = [];
    for (const [index, state] of path.entries()) {
      const left = path[index - 1];
      // where two nodes are neighbours a pair that is found is enough; elsewhere the document must hold the node
      const documents = state.documents();
      if (left && follows(left, state)) components.push(edge(run, context, left, state));
      else if (documents === 0) return null;
      else components.push(presence(run, context, state));
    }
    return components;
  },
  greatest: greatestProximity,
};

const ATTRIBUTE_RANK: PositionRule = {
  components: (run, context, path) =>
    collect(context, 'attribute', path, (state) => {
      const { kinds, weights } = run.space.attributes;
      const { size } = state.node;
      const parted = partedComponent(context, state, BY_WEIGHT, size);
      if (parted !== 0) return parted;
      const occurrences = context.occurrences(state, 'leading');
      return occurrences && run.engine.attributeComponent(context.pointer, occurrences, kinds, weights, size);
    }),
  greatest: (run, live) => run.space.attributes.maxWeight * mostTerms(run, live),
};

const WORD_POSITION: PositionRule = {
  components: (run, context, path) =>
    collect(context, 'position', path, (state) => {
      const { start, size } = state.node;
      const parted = partedComponent(context, state, BY_POSITION, 1);
      if (parted !== 0) return parted;
      const occurrences = context.occurrences(state, 'leading');
      return occurrences && run.engine.positionComponent(context.pointer, occurrences, start, size);
    }),
  greatest: (run, live) => MOST_POSITION_COST * mostTerms(run, live),
};

/** The greatest cost of the proximity rule. */
export function greatestProximity(run: RankingRun, live: LiveInterpretations): number {
  if (live.initial) return run.graph.greatest((node) => node.size - 1 + (run.graph.isContiguous(node) ? FAR_COST : 0));
  const most = (path: Interpretation): number =>
    path.reduce((sum, state, index) => {
      const left = path[index - 1];
      return sum + state.node.size - 1 + (left && follows(left, state) ? FAR_COST : 0);
    }, 0);
  return Math.max(0, ...live.paths.map(most));
}

/** Components of every node, made once a context, or null when one is missing: 0. */
function collect(
  context: PositionContext,
  name: string,
  path: Interpretation,
  component: (state: NodeState) => number,
): number[] | null {
  const components = path.map((state) => context.cached(`${name} ${state.key}`, () => component(state)));
  return components.includes(0) ? null : components;
}

function presence(run: RankingRun, context: PositionContext, state: NodeState): number {
  return context.cached(`presence ${state.key}`, () =>
    run.engine.presenceComponent(context.pointer, state.documents(), state.node.size - 1),
  );
}

function edge(run: RankingRun, context: PositionContext, left: NodeState, right: NodeState): number {
  return context.cached(`edge ${left.key} ${right.key}`, () => {
    const { engine, space } = run;
    const sharing = space.sources.reader.view.settings.proximityPrecision === 'byAttribute' ? space.attributes.kinds : 0;
    return engine.edgeComponent(
      context.pointer,
      context.occurrences(left, 'forwardLeft'),
      context.occurrences(right, 'forwardRight'),
      context.occurrences(left, 'words'),
      context.occurrences(right, 'backward'),
      right.node.size,
      right.documents() || run.nothing,
      sharing,
    );
  });
}

const RULES = { proximity: PROXIMITY, attributeRank: ATTRIBUTE_RANK, wordPosition: WORD_POSITION };

/** Proximity, attribute rank or word position. */
export function* positionRule(run: RankingRun, rule: Rule, bucket: Bucket): Generator<Bucket> {
  const definition = RULES[rule.kind as keyof typeof RULES];
  const { engine, space } = run;
  const { reader } = space.sources;
  const { live } = bucket;
  const max = 1 + definition.greatest(run, live);
  if (max === 1 || isNeutral(rule, live)) {
    // one cost for all: nothing to read
    const { bitmap, count, context } = bucket;
    yield { bitmap, count, live: stillLive(run, bucket), context, step: { rule, rank: max, max } };
    return;
  }
  const context = contextOf(run, bucket);
  const chosenPaths: Interpretation[] = [];
  const plan: number[] = [];
  for (const path of live.paths) {
    const components = definition.components(run, context, path);
    if (!components) continue;
    chosenPaths.push(path);
    plan.push(components.length, ...components);
  }
  const planPointer = reader.instance.putWords(plan);
  const slots = engine.alloc(bucket.count * 4 + 16);
  engine.bitmapFirst(bucket.bitmap, reader.bitmapBytes, bucket.count, slots);
  const indices = engine.alloc(bucket.count * 4 + 16);
  engine.contextIndices(context.pointer, bucket.bitmap, indices);
  const costs = engine.alloc(bucket.count * 2 + 16);
  const chosen = engine.alloc(bucket.count * 2 + 16);
  engine.combineComponents(planPointer, chosenPaths.length, indices, bucket.count, costs, chosen);
  let cost = engine.leastCost(costs, bucket.count);
  while (cost !== IMPOSSIBLE) {
    const bitmap = reader.newBitmap();
    const marks = engine.allocZeroed(chosenPaths.length + 16);
    const next = engine.costBucket(slots, costs, chosen, bucket.count, cost, bitmap, marks, run.dead);
    const count = engine.bitmapCount(bitmap, reader.bitmapBytes);
    if (count > 0) {
      const flags = reader.instance.bytes;
      const paths = chosenPaths.filter((_, index) => flags[marks + index] === 1);
      yield { bitmap, count, live: { paths, initial: false }, context, step: { rule, rank: max - cost, max } };
    }
    cost = next;
  }
}

/** Proximity of single words says nothing. */
function isNeutral(rule: Rule, live: LiveInterpretations): boolean {
  return rule.kind === 'proximity' && live.paths.length === 1 && live.paths[0]?.length === 1 && live.paths[0][0]?.node.size === 1;
}

/** The interpretations that claim a document of the bucket. */
function stillLive(run: RankingRun, bucket: Bucket): LiveInterpretations {
  const { live } = bucket;
  if (live.paths.length <= 1) return { paths: live.paths, initial: false };
  const claims = new Claims(run.space, bucket.bitmap, bucket.count);
  claims.remove(run.dead);
  const taken = run.space.sources.reader.newBitmap();
  const paths = live.paths.filter((path) => {
    let documents = 0;
    for (const state of path) {
      documents = claims.narrow(documents, state.documents());
      if (documents === 0) return false;
    }
    return claims.take(documents, taken);
  });
  return { paths, initial: false };
}

/** The occurrences read for a larger bucket serve a smaller one, unless it is much smaller. */
export function contextOf(run: RankingRun, bucket: Bucket): PositionContext {
  const { context } = bucket;
  if (context && bucket.count * MUCH_SMALLER >= context.count) return context;
  return new PositionContext(run.space, bucket.bitmap, bucket.count);
}
