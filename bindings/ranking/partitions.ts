import type { NodeState } from './node.js';
import { type PositionContext, wordSources } from './positions.js';
import type { Costing, Run, Sources } from './runs.js';

/** Most weights for which the documents of a word are kept by weight. */
const MOST_WEIGHTS = 8;
/** Each run of terms is partitioned on its own: few are worth it. */
const MOST_RUNS = 16;
/** Terms of a state from which its occurrences are dear to read. */
const MANY_TERMS = 1024;
/** The greatest cost of one word by the word position rule. */
export const MOST_POSITION_COST = 10;
/**
 * Smaller buckets are read document by document, unless their words are many; to look up the positions of a document takes as long
 * as to read so many postings. Not constants, so that tests can send small corpora down this road too.
 */
export const partitionLimits = { largeBucket: 128, postingsADocument: 32 };
/** To look through so many bytes of the sets of a state takes as long as to read its positions in one document. */
const BYTES_A_DOCUMENT = 64;

/** A way to part the documents of a state by cost. */
export interface Partition {
  name: string;
  /** How many costs there are; 0: the state cannot be parted. */
  costs(state: NodeState): number;
  costing(state: NodeState): Costing;
}

/** By attribute rank: the weights of one word. */
export const BY_WEIGHT: Partition = {
  name: 'weight',
  costs: ({ node }) => {
    const { restricted, maxWeight } = node.space.attributes;
    return !restricted && maxWeight > 0 && maxWeight < MOST_WEIGHTS ? maxWeight + 1 : 0;
  },
  costing: ({ node }) => {
    const { attributes, sources } = node.space;
    const { scheme, weights, maxWeight } = attributes;
    return {
      name: `weights ${scheme}`,
      make: (source, bytes) => sources.engine.weightSets(source, bytes, weights, maxWeight + 1),
    };
  },
};

/** By word position: how far one word is from where the query has it. */
export const BY_POSITION: Partition = {
  name: 'position',
  costs: ({ node }) => (node.size === 1 ? MOST_POSITION_COST + 1 : 0),
  costing: ({ node }) => ({
    name: `positions ${node.start}`,
    make: (source, bytes) => node.space.sources.engine.positionSets(source, bytes, node.start),
  }),
};

/**
 * Documents of a state with a cost, those of lower costs left out, put together from the sets of the runs of its words; the first
 * word of a phrase counts in the documents that match the phrase. 0: none.
 */
export function documentsOfCost(state: NodeState, kind: Partition, cost: number): number {
  const { sources, scratch } = state.node.space;
  const { engine, reader } = sources;
  const bytes = reader.bitmapBytes;
  return scratch.cached(`${kind.name} ${cost} ${state.key}`, () => {
    const costing = kind.costing(state);
    const all = reader.newBitmap();
    let count = 0;
    let parts = 0;
    for (const { runs, within } of wordSources(state, 'leading')) {
      const own = within === 0 ? all : reader.newBitmap();
      for (const run of runs) count += sources.spread(run, sources.costSets(run, costing), cost, own);
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

/** Are the documents so many that sets of documents are read faster than the positions of each? */
export function isLarge(documents: number, { reader }: Sources): boolean {
  return documents >= partitionLimits.largeBucket && documents * BYTES_A_DOCUMENT >= reader.bitmapBytes;
}

/** Are the occurrences of a state dear to read, however few the documents are? */
export function hasManyTerms(state: NodeState): boolean {
  let terms = 0;
  for (const { runs } of wordSources(state, 'leading')) for (const { from, to } of runs) terms += to - from;
  return terms >= MANY_TERMS;
}

/**
 * Are the documents of the states kept by cost, or worth it by now? Makes the sets that are not there yet. `postings`: what this
 * query reads for want of the sets of a run; Infinity where they are worth making for any query.
 */
export function areParted(states: readonly NodeState[], kind: Partition, postings: number): boolean {
  const sources = states[0]?.node.space.sources;
  if (!sources?.inOneMemory || states.some((state) => kind.costs(state) === 0)) return false;
  const parts: [Run, Costing][] = [];
  for (const state of states) {
    const costing = kind.costing(state);
    for (const { runs } of wordSources(state, 'leading')) for (const run of runs) parts.push([run, costing]);
  }
  if (parts.length > MOST_RUNS) return false;
  // every run is paid for, also when another one is too dear yet
  const earned = parts.filter(([run, costing]) => sources.areCostSetsEarned(run, costing, postings));
  return earned.length === parts.length && parts.every(([run, costing]) => sources.costSets(run, costing) !== 0);
}

/** What a state costs the documents of a context, `unit` a cost: a component; 0 when its positions must be read. */
export function partedComponent(context: PositionContext, state: NodeState, kind: Partition, unit: number): number {
  const { sources } = state.node.space;
  const { engine, reader } = sources;
  const postings = context.count * partitionLimits.postingsADocument;
  if (!isLarge(context.count, sources) || !areParted([state], kind, postings)) return 0;
  const sets: number[] = [];
  for (let cost = 0; cost < kind.costs(state); cost++) {
    const documents = documentsOfCost(state, kind, cost);
    if (documents !== 0) sets.push(cost * unit, documents);
  }
  return engine.setsComponent(context.pointer, reader.instance.putWords(sets), sets.length / 2);
}
