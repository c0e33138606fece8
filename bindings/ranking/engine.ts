import type { EngineInstance } from '../engine/instance.js';

/** The engine's functions that ranking calls, with their shapes; see engine-as/assembly/{sets,dictionary,automata,ranking}. */
export interface RankingEngine {
  alloc(bytes: number): number;
  allocZeroed(bytes: number): number;
  allocPersistent(bytes: number): number;
  arenaMark(): number;
  arenaReset(mark: number): void;
  bitmapAnd(target: number, other: number, bytes: number): void;
  bitmapOr(target: number, other: number, bytes: number): void;
  bitmapAndNot(target: number, other: number, bytes: number): void;
  bitmapIntersect(out: number, left: number, right: number, bytes: number): number;
  bitmapDifference(out: number, left: number, right: number, bytes: number): number;
  bitmapMove(from: number, wanted: number, to: number, bytes: number): number;
  bitmapCopy(target: number, source: number, bytes: number): void;
  bitmapCount(bitmap: number, bytes: number): number;
  bitmapAndCount(left: number, right: number, bytes: number): number;
  bitmapIsEmpty(bitmap: number, bytes: number): number;
  bitmapFirst(bitmap: number, bytes: number, limit: number, out: number): number;
  bitmapAddAll(target: number, members: number, count: number): void;
  termFind(view: number, text: number, length: number): number;
  termIsLive(view: number, term: number, tombstones: number): number;
  termBegin(view: number, term: number): number;
  termLength(view: number, term: number): number;
  prefixStart(view: number, text: number, length: number, from: number, to: number): number;
  prefixEnd(view: number, text: number, length: number, from: number, to: number): number;
  liveTerms(
    view: number,
    from: number,
    to: number,
    tolerant: number,
    tombstones: number,
    attributes: number,
    limit: number,
  ): number;
  typoTerms(
    view: number,
    tombstones: number,
    attributes: number,
    text: number,
    length: number,
    budget: number,
    prefix: number,
    one: number,
    two: number,
  ): number;
  sourcesOrInto(
    sources: number,
    count: number,
    bitmap: number,
    attributes: number,
    restricted: number,
    tolerantOnly: number,
  ): void;
  weightSets(source: number, bytes: number, weights: number, limit: number): number;
  positionSets(source: number, bytes: number, start: number): number;
  pairSets(left: number, right: number, bytes: number, backward: number): number;
  spreadCostSet(sets: number, cost: number, bitmap: number): number;
  runPostings(view: number, from: number, to: number): number;
  contextCreate(bitmap: number, bytes: number, count: number): number;
  contextIndices(context: number, subset: number, out: number): number;
  occurrencesOf(context: number, sources: number, count: number): number;
  keepNear(
    bitmap: number,
    bytes: number,
    count: number,
    left: number,
    leftCount: number,
    right: number,
    rightCount: number,
    distance: number,
    attributes: number,
  ): number;
  keepCostSets(bitmaps: number, bytes: number, costs: number): number;
  presenceComponent(context: number, bitmap: number, cost: number): number;
  setsComponent(context: number, sets: number, count: number): number;
  attributeComponent(context: number, occurrences: number, attributes: number, weights: number, size: number): number;
  positionComponent(context: number, occurrences: number, start: number, size: number): number;
  edgeComponent(
    context: number,
    left: number,
    right: number,
    leftWords: number,
    rightWords: number,
    size: number,
    present: number,
    attributes: number,
  ): number;
  combineComponents(plan: number, interpretations: number, indices: number, count: number, costs: number, chosen: number): void;
  leastCost(costs: number, count: number): number;
  costBucket(
    slots: number,
    costs: number,
    chosen: number,
    count: number,
    cost: number,
    bitmap: number,
    live: number,
    dead: number,
  ): number;
  exactAttribute(
    context: number,
    documents: number,
    words: number,
    wordCount: number,
    span: number,
    attributes: number,
    segments: number,
    segmentCount: number,
    levels: number,
  ): void;
}

export function rankingEngine(instance: EngineInstance): RankingEngine {
  return instance.exports as unknown as RankingEngine;
}
