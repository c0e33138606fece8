import type { Term } from '../query/parse.js';
import type { AttributeTable } from './attributes.js';
import type { Derivations, Dictionary } from './derivations.js';
import { matchPhrase } from './phrases.js';
import type { Run, Sources } from './runs.js';
import type { Scratch } from './scratch.js';

/** What nodes share: the index, its attributes, and all live documents. */
export interface NodeSpace {
  sources: Sources;
  attributes: AttributeTable;
  dictionary: Dictionary;
  /** Bitmap of the live documents. */
  live: number;
  scratch: Scratch;
}

/** A phrase that stands for a node: typed, a synonym, or a split; with the documents that match it. */
export interface NodePhrase {
  kind: 'typed' | 'synonym' | 'split';
  words: readonly (string | null)[];
  runs: (Run[] | null)[];
  documents: number;
}

/**
 * A node of the query graph: one term, a typed phrase, or two or three neighbouring words joined (an n-gram), with the words of
 * the index that stand for it and the documents that hold them.
 */
export class QueryNode {
  readonly size: number;
  readonly start: number;
  readonly end: number;
  readonly isPhrase: boolean;
  readonly isNgram: boolean;
  /** Typed words; joined for n-grams. */
  readonly text: string;
  readonly typed: readonly string[];
  readonly derivations: Derivations | null;
  readonly phrases: NodePhrase[] = [];
  /** Documents that satisfy the node by each class; 0: none. Phrases and synonyms are in {@link always}. */
  readonly classDocuments: number[] = [0, 0, 0];
  /** Documents of phrases and synonyms: they satisfy every class. */
  readonly always: number;
  /** Documents that hold the exact form where it counts. */
  readonly exactDocuments: number;
  /** All documents that satisfy the node; 0: none. */
  readonly documents: number;
  readonly #states = new Map<number, NodeState>();

  constructor(
    readonly space: NodeSpace,
    readonly id: number,
    terms: readonly Term[],
    readonly first: number,
    readonly last: number,
    readonly budget: number,
    synonyms: readonly (readonly string[])[],
  ) {
    const begin = terms[first] as Term;
    const finish = terms[last] as Term;
    this.size = last - first + 1;
    this.start = begin.start;
    this.end = finish.end;
    this.isPhrase = begin.phrase;
    this.isNgram = last > first;
    this.typed = this.isPhrase ? [] : terms.slice(first, last + 1).map((term) => term.words[0] as string);
    this.text = this.typed.join('');
    this.derivations = this.isPhrase ? null : space.dictionary.derive(this.typed, finish.prefix, budget);
    if (this.isPhrase) this.#addPhrase('typed', begin.words);
    for (const words of synonyms) this.#addPhrase('synonym', words);
    if (this.derivations?.split) this.#addPhrase('split', this.derivations.split);
    this.always = this.#union(this.phrases.filter(({ kind }) => kind !== 'split').map(({ documents }) => documents));
    this.exactDocuments = this.derivations ? this.#holders(this.derivations.exact, this.isNgram) : 0;
    if (this.derivations) this.#fillClasses(this.derivations);
    this.documents = this.#union([this.always, ...this.classDocuments]);
  }

  /** The highest class that the node may use. */
  get maxClass(): number {
    return this.isPhrase ? 0 : Math.max(1, this.budget);
  }

  /** Has it an exact form, as the exactness rules see it? */
  get hasExactForm(): boolean {
    return this.isPhrase || (!this.isNgram && (this.derivations?.exact.length ?? 0) > 0);
  }

  /** The node restricted to some classes (bits), or to its exact form. */
  state(mask: number, exactOnly: boolean): NodeState {
    const key = mask | (exactOnly ? 8 : 0);
    let state = this.#states.get(key);
    if (!state) {
      state = new NodeState(this, mask, exactOnly);
      this.#states.set(key, state);
    }
    return state;
  }

  #fillClasses(derivations: Derivations): void {
    const split = this.phrases.find(({ kind }) => kind === 'split');
    this.classDocuments[0] = this.#union([this.exactDocuments, this.#holders(derivations.prefixes, this.isNgram)]);
    this.classDocuments[1] = this.#union([this.#holders(derivations.one, true), split?.documents ?? 0]);
    this.classDocuments[2] = this.#holders(derivations.two, true);
  }

  #addPhrase(kind: NodePhrase['kind'], words: readonly (string | null)[]): void {
    const { sources, attributes, dictionary, live } = this.space;
    const runs = words.map((word) => (word === null ? null : dictionary.find(word)));
    const documents = matchPhrase(sources, attributes, runs, live);
    if (documents !== 0) this.phrases.push({ kind, words, runs, documents });
  }

  /** Live documents that hold one of the words in a searched attribute; 0 when there is none. */
  #holders(runs: readonly Run[], tolerantOnly: boolean): number {
    if (runs.length === 0) return 0;
    const { sources, attributes, live } = this.space;
    const { engine, reader } = sources;
    const bitmap = reader.newBitmap();
    sources.orInto(runs, bitmap, { attributes: attributes.kinds, restricted: attributes.restricted, tolerantOnly });
    engine.bitmapAnd(bitmap, live, reader.bitmapBytes);
    return engine.bitmapIsEmpty(bitmap, reader.bitmapBytes) ? 0 : bitmap;
  }

  #union(bitmaps: readonly number[]): number {
    const filled = bitmaps.filter((bitmap) => bitmap !== 0);
    if (filled.length <= 1) return filled[0] ?? 0;
    const { engine, reader } = this.space.sources;
    const union = reader.newBitmap();
    for (const bitmap of filled) engine.bitmapOr(union, bitmap, reader.bitmapBytes);
    return union;
  }

  /** Union of bitmaps of this node, for its states. */
  union(bitmaps: readonly number[]): number {
    return this.#union(bitmaps);
  }
}

/** A node as one interpretation may use it: with the classes that earlier rules left, or its exact form alone. */
export class NodeState {
  readonly key: string;

  constructor(
    readonly node: QueryNode,
    readonly mask: number,
    readonly exactOnly: boolean,
  ) {
    this.key = `${node.id}/${mask}${exactOnly ? 'x' : ''}`;
  }

  allows(wanted: number): boolean {
    return !this.exactOnly && (this.mask & (1 << wanted)) !== 0;
  }

  /** Documents that satisfy the state; 0: none. */
  documents(): number {
    const { node } = this;
    if (!this.exactOnly && this.mask === 7) return node.documents;
    return node.space.scratch.cached(`documents ${this.key}`, () => {
      if (this.exactOnly) return node.union([node.always, this.#exactHolders()]);
      return node.union([node.always, ...node.classDocuments.filter((_, c) => this.allows(c))]);
    });
  }

  /** Documents that satisfy the state with a class, without those that a lower class satisfies; 0: none. */
  lowest(wanted: number): number {
    const { node } = this;
    const { scratch, sources } = node.space;
    if (this.exactOnly) return wanted === 0 ? this.documents() : 0;
    if (!this.allows(wanted)) return 0;
    return scratch.cached(`lowest ${wanted} ${this.key}`, () => {
      const lower = [0, 1].filter((c) => c < wanted && this.allows(c)).map((c) => this.lowest(c));
      const own = node.classDocuments[wanted] as number;
      // what satisfies every class takes the lowest one that is allowed
      if (lower.length === 0) return node.union([own, node.always]);
      if (own === 0) return 0;
      const { engine, reader } = sources;
      const rest = engine.alloc(reader.bitmapBytes);
      let any = true;
      engine.bitmapCopy(rest, own, reader.bitmapBytes);
      for (const bitmap of lower) any = bitmap === 0 ? any : engine.bitmapDifference(rest, rest, bitmap, reader.bitmapBytes);
      return any ? rest : 0;
    });
  }

  /** A short prefix keeps all its words even when restricted to the exact form. */
  #exactHolders(): number {
    return this.node.derivations?.prefixIndexed ? (this.node.classDocuments[0] as number) : this.node.exactDocuments;
  }
}
