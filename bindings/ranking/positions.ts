import type { NodeSpace, NodeState } from './node.js';
import type { Run } from './runs.js';

/**
 * Which words of a node count: `forward…` with phrases at their nearer end, `words` without phrases, `backward` without the
 * words of a short prefix, `leading` with the first word of phrases.
 */
type Role = 'forwardLeft' | 'forwardRight' | 'words' | 'backward' | 'leading';

interface WordSource {
  runs: readonly Run[];
  /** Only in these documents; 0: all. */
  within: number;
}

/** The documents of a bucket, numbered densely, with the occurrences of the query's words in them, read when first asked for. */
export class PositionContext {
  readonly pointer: number;
  readonly #id: number;

  constructor(
    readonly space: NodeSpace,
    readonly bitmap: number,
    readonly count: number,
  ) {
    const { engine, reader } = space.sources;
    this.#id = space.scratch.number();
    this.pointer = engine.contextCreate(bitmap, reader.bitmapBytes, count);
  }

  /** A result of this context that is made when first asked for. */
  cached(key: string, make: () => number): number {
    return this.space.scratch.cached(`${key} @${this.#id}`, make);
  }

  /** Occurrences of the words of a state in a role; 0 when there are none. */
  occurrences(state: NodeState, role: Role): number {
    const sources = wordSources(state, role);
    // without phrases most roles read the same words
    const own = role === 'backward' && state.node.derivations?.prefixIndexed;
    const key = sources.length === 1 && sources[0]?.within === 0 && !own ? 'words' : role;
    return this.cached(`${key} ${state.key}`, () => this.#read(sources));
  }

  /** Occurrences of one word, whatever node it belongs to. */
  word(text: string, runs: readonly Run[]): number {
    return this.cached(`word ${text}`, () => this.#read([{ runs, within: 0 }]));
  }

  #read(sources: readonly WordSource[]): number {
    const { engine } = this.space.sources;
    const filled = sources.filter(({ runs }) => runs.length > 0);
    if (filled.length === 0) return 0;
    const runs = filled.flatMap((source) => source.runs);
    const packed = this.space.sources.packEach(filled);
    return engine.occurrencesOf(this.pointer, packed, runs.length);
  }
}

/** The words of the index that stand for a state, phrases apart. `backward`: without the words of a short prefix. */
export function wordRuns(state: NodeState, backward = false): Run[] {
  const { derivations } = state.node;
  if (!derivations) return [];
  const { exact, prefixes, prefixIndexed, one, two } = derivations;
  const runs: Run[] = [];
  if (state.mask & 1) runs.push(...exact);
  // a short prefix keeps its words even where the state is restricted to the exact form
  const withPrefixes = state.exactOnly ? prefixIndexed : (state.mask & 1) !== 0;
  if (withPrefixes && !(backward && prefixIndexed)) runs.push(...prefixes);
  if (!state.exactOnly && state.mask & 2) runs.push(...one);
  if (!state.exactOnly && state.mask & 4) runs.push(...two);
  return runs;
}

/** The words of a state in a role, and the documents in which they count. */
export function wordSources(state: NodeState, role: Role): WordSource[] {
  const { node } = state;
  const sources: WordSource[] = [];
  const runs = wordRuns(state, role === 'backward');
  if (runs.length > 0) sources.push({ runs, within: 0 });
  if (role === 'words' || role === 'backward') return sources;
  for (const phrase of node.phrases) {
    if (phrase.kind === 'split' && !state.allows(1)) continue;
    const runs = role === 'leading' ? phrase.runs.find((word) => word !== null) : phrase.runs.at(role === 'forwardLeft' ? -1 : 0);
    if (runs) sources.push({ runs, within: phrase.documents });
  }
  return sources;
}
