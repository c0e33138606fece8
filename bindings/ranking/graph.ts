import { byteLength } from '../engine/utf8.js';
import type { ParsedQuery, Term } from '../query/parse.js';
import { MAX_WORD_BYTES } from './derivations.js';
import { type NodeSpace, type NodeState, QueryNode } from './node.js';
import { type SynonymTable, synonymsOf } from './synonyms.js';
import { typoBudget } from './typo-budget.js';

const MAX_JOINED = 3;
const ANY_CLASS = 7;

/** One reading of the query: nodes that cover its terms in order. */
export type Interpretation = readonly NodeState[];

/** The interpretations that the documents of a bucket may still satisfy, in the order in which they claim documents. */
export interface LiveInterpretations {
  paths: readonly Interpretation[];
  /** All interpretations of the graph, before any rule: maxima count those that no document satisfies too. */
  initial: boolean;
}

/** The nodes of a query: for each term index the term itself, then the joined words that end there. */
export class QueryGraph {
  readonly nodes: QueryNode[] = [];
  readonly terms: readonly Term[];

  constructor(
    readonly space: NodeSpace,
    parsed: ParsedQuery,
    exceptions: ReadonlySet<string>,
    synonyms: SynonymTable,
  ) {
    this.terms = parsed.terms;
    const { settings } = space.sources.reader.view;
    for (let last = 0; last < this.terms.length; last++) {
      for (let size = 1; size <= MAX_JOINED && size <= last + 1; size++) {
        const first = last - size + 1;
        if (size > 1 && !this.#joins(first, last)) continue;
        const typed = this.terms.slice(first, last + 1).map((term) => term.words[0] ?? '');
        const isPhrase = (this.terms[first] as Term).phrase;
        const text = typed.join('');
        const budget = isPhrase ? 0 : typoBudget(settings, exceptions, text, size);
        const nothing = isPhrase || byteLength(text) > MAX_WORD_BYTES;
        const found = nothing ? [] : synonymsOf(synonyms, text, typed);
        this.nodes.push(new QueryNode(space, this.nodes.length, this.terms, first, last, budget, found));
      }
    }
  }

  /** May the words of these terms be typed as one? */
  #joins(first: number, last: number): boolean {
    let bytes = 0;
    for (let index = first; index <= last; index++) {
      const term = this.terms[index] as Term;
      if (term.phrase) return false;
      if (index > first && term.start !== (this.terms[index - 1] as Term).end + 1) return false;
      bytes += byteLength(term.words[0] as string);
    }
    return bytes <= MAX_WORD_BYTES;
  }

  /** All interpretations whose joined words some document holds, in visit order. */
  interpretations(): LiveInterpretations {
    const paths: Interpretation[] = [];
    const extend = (from: number, path: NodeState[]): void => {
      if (from === this.terms.length) {
        paths.push(path);
        return;
      }
      for (const node of this.nodes) {
        if (node.first !== from || (node.isNgram && node.documents === 0)) continue;
        extend(node.last + 1, [...path, node.state(ANY_CLASS, false)]);
      }
    };
    extend(0, []);
    return { paths, initial: true };
  }

  /** The greatest sum of a weight over the nodes of an interpretation, those included that no document satisfies. */
  greatest(weight: (node: QueryNode) => number): number {
    const best = new Array<number>(this.terms.length + 1).fill(0);
    for (const node of this.nodes) {
      best[node.last + 1] = Math.max(best[node.last + 1] as number, (best[node.first] as number) + weight(node));
    }
    return best[this.terms.length] as number;
  }

  /** Does a node directly follow the term before it? */
  isContiguous(node: QueryNode): boolean {
    return node.first > 0 && (this.terms[node.first - 1] as Term).end + 1 === node.start;
  }
}

/** Keeps the first of equal interpretations. */
export function withoutDoubles(paths: readonly Interpretation[]): Interpretation[] {
  const seen = new Map<string, Interpretation>();
  for (const path of paths) {
    const key = path.map((state) => state.key).join(' ');
    if (!seen.has(key)) seen.set(key, path);
  }
  return [...seen.values()];
}
