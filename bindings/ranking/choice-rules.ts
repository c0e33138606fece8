import type { Bucket } from './bucket.js';
import { Claims } from './claims.js';
import { type Interpretation, type LiveInterpretations, withoutDoubles } from './graph.js';
import type { NodeState, QueryNode } from './node.js';
import type { RankingRun } from './rank.js';
import type { Rule } from './rules.js';

/** One way in which a document can satisfy a node: what it costs, by which documents, and what later rules see of the node. */
export interface Choice {
  cost: number;
  /** Bitmap, made when first asked for; 0: none. */
  documents(): number;
  next: NodeState;
}

/** A rule whose cost is a sum of choices, one for each node, that depend on sets of documents alone. */
export interface ChoiceRule {
  /** The choices of a node, cheapest first; a document has at most one of them. `left`: the node before it in the interpretation. */
  choices(state: NodeState, left: NodeState | null): Choice[];
  /** The greatest cost of an interpretation. */
  greatest(run: RankingRun, live: LiveInterpretations): number;
}

/** What a joined word costs beside its typos. */
const JOINED_COST = [0, 0, 2, 3];

const TYPO: ChoiceRule = {
  choices: (state) =>
    [0, 1, 2]
      .filter((wanted) => (state.exactOnly ? wanted === 0 : state.allows(wanted)))
      .map((wanted) => ({
        cost: wanted + joinedCost(state.node),
        documents: () => state.lowest(wanted),
        next: state.node.state(state.exactOnly ? state.mask : 1 << wanted, state.exactOnly),
      })),
  greatest: (run, live) => greatestSum(run, live, (state) => greatestClass(state) + joinedCost(state.node)),
};

const EXACT_WORDS: ChoiceRule = {
  choices: (state) => {
    const { node } = state;
    const { engine, reader } = node.space.sources;
    const all = state.documents();
    if (all === 0) return [];
    const exact = exactHolders(state);
    const others = { cost: node.size, documents: () => all, next: state };
    if (exact === 0) return [others];
    const inexact = (): number =>
      node.space.scratch.cached(`inexact ${state.key}`, () => {
        const rest = engine.alloc(reader.bitmapBytes);
        return engine.bitmapDifference(rest, all, exact, reader.bitmapBytes) ? rest : 0;
      });
    return [
      { cost: 0, documents: () => exact, next: node.state(state.mask, true) },
      { ...others, documents: inexact },
    ];
  },
  greatest: (run, live) => greatestSum(run, live, (state) => state.node.size),
};

function joinedCost(node: QueryNode): number {
  return JOINED_COST[node.size] as number;
}

function greatestClass(state: NodeState): number {
  const { node } = state;
  if (node.isPhrase) return 0;
  if (node.budget === 0) return 1;
  for (let wanted = node.maxClass; wanted > 0; wanted--) if (state.allows(wanted)) return wanted;
  return 0;
}

/** Documents that hold the exact form of a node, if its state still allows it; 0: none. */
function exactHolders(state: NodeState): number {
  const { node } = state;
  if (node.isPhrase) return node.documents;
  if (node.isNgram || !(state.mask & 1)) return 0;
  return node.exactDocuments;
}

/** The greatest sum of what the nodes of an interpretation may cost. */
export function greatestSum(run: RankingRun, live: LiveInterpretations, most: (state: NodeState) => number): number {
  if (live.initial) return run.graph.greatest((node) => most(node.state(7, false)));
  return Math.max(0, ...live.paths.map((path) => path.reduce((sum, state) => sum + most(state), 0)));
}

export function typoRule(run: RankingRun, rule: Rule, bucket: Bucket): Generator<Bucket> {
  return choiceRule(run, rule, bucket, TYPO);
}

export function exactWordsRule(run: RankingRun, rule: Rule, bucket: Bucket): Generator<Bucket> {
  return choiceRule(run, rule, bucket, EXACT_WORDS);
}

export function* choiceRule(run: RankingRun, rule: Rule, bucket: Bucket, definition: ChoiceRule): Generator<Bucket> {
  const { space } = run;
  const { engine, reader } = space.sources;
  const { live } = bucket;
  const greatest = definition.greatest(run, live);
  const max = 1 + greatest;
  const claims = new Claims(space, bucket.bitmap, bucket.count);
  const choices = new ChoicesRead(definition);
  for (let cost = 0; cost <= greatest; cost++) {
    claims.remove(run.dead);
    if (claims.isExhausted) return;
    const bitmap = reader.newBitmap();
    const next = claimCost(claims, choices, live, cost, bitmap);
    if (next.length === 0) continue;
    yield {
      bitmap,
      count: engine.bitmapCount(bitmap, reader.bitmapBytes),
      live: { paths: withoutDoubles(next), initial: false },
      context: bucket.context,
      step: { rule, rank: max - cost, max },
    };
  }
}

/** The choices of a rule, read once for each state and the one before it. */
class ChoicesRead {
  readonly #known = new Map<NodeState, Map<NodeState | null, Choice[]>>();

  constructor(readonly definition: ChoiceRule) {}

  of(state: NodeState, left: NodeState | null): Choice[] {
    let byLeft = this.#known.get(state);
    if (!byLeft) {
      byLeft = new Map();
      this.#known.set(state, byLeft);
    }
    let choices = byLeft.get(left);
    if (!choices) {
      choices = this.definition.choices(state, left);
      byLeft.set(left, choices);
    }
    return choices;
  }
}

/** Claims the documents of all variants of one cost, in visit order; answers what later rules see of the variants that claimed. */
function claimCost(
  claims: Claims,
  choices: ChoicesRead,
  live: LiveInterpretations,
  cost: number,
  bucket: number,
): Interpretation[] {
  const claimed: Interpretation[] = [];
  /** `paths`: the interpretations that share the nodes read so far. */
  const visit = (paths: readonly Interpretation[], index: number, left: number, documents: number, next: NodeState[]): void => {
    for (const group of live.initial ? groupByNode(paths, index) : paths.map((path) => [path])) {
      const state = (group[0] as Interpretation)[index];
      if (!state) {
        if (left === 0 && claims.take(documents, bucket)) claimed.push(next);
        continue;
      }
      const before = index > 0 ? ((group[0] as Interpretation)[index - 1] as NodeState) : null;
      for (const choice of choices.of(state, before)) {
        if (choice.cost > left) continue;
        const narrowed = claims.narrow(documents, choice.documents());
        if (narrowed !== 0) visit(group, index + 1, left - choice.cost, narrowed, [...next, choice.next]);
      }
    }
  };
  visit(live.paths, 0, cost, 0, []);
  return claimed;
}

/** Interpretations of one graph share their beginnings: those with the same node at an index, in order. */
function groupByNode(paths: readonly Interpretation[], index: number): Interpretation[][] {
  const groups = new Map<NodeState | undefined, Interpretation[]>();
  for (const path of paths) {
    const group = groups.get(path[index]);
    if (group) group.push(path);
    else groups.set(path[index], [path]);
  }
  return [...groups.values()];
}
