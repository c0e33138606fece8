import { ANY_ORDINAL } from '../../engine/exports.js';
import { type Neighbour, nearest } from '../../engine/nearest-vectors.js';
import type { IndexReader } from '../../engine/segments.js';
import { addDocumentsWithOrdinal, vectorCounts } from '../../engine/vector-sets.js';
import { MAX_VECTORS_PER_DOCUMENT } from '../../engine/vectors.js';
import type { VectorTarget } from './target.js';

/** Where neighbours turn out to be too few, so many times as many are looked for. */
const MORE_NEIGHBOURS = 4;

/** The documents of a bitmap whose vectors with one ordinal are compared, nearest first; as many as are asked for. */
class VectorList {
  #found: readonly Neighbour[] = [];
  #asked = 0;
  #ended = false;
  #at = 0;

  constructor(
    private readonly reader: IndexReader,
    private readonly target: VectorTarget,
    private readonly bitmap: number,
    private readonly count: number,
    private readonly ordinal: number,
    private readonly deadline: number,
  ) {}

  /** The next ones that are left. */
  take(count: number, isLeft: (slot: number) => boolean): Neighbour[] {
    const taken: Neighbour[] = [];
    while (taken.length < count) {
      if (this.#at === this.#found.length) {
        if (this.#ended) break;
        this.#ask(Math.max(this.#asked * MORE_NEIGHBOURS, count));
        continue;
      }
      const next = this.#found[this.#at++] as Neighbour;
      if (isLeft(next.slot)) taken.push(next);
    }
    return taken;
  }

  #ask(neighbours: number): void {
    const { reader, target, ordinal, deadline } = this;
    this.#asked = Math.min(this.count, neighbours);
    const { found, complete } = nearest(reader, target.embedder, target.vector, this.#asked, this.bitmap, { ordinal, deadline });
    this.#ended = !complete || found.length < this.#asked || this.#asked === this.count;
    this.#found = found;
  }
}

/** Documents that are equally near. */
export interface Equals {
  slots: readonly number[];
  similarity: number;
  /** The first of a turn: none that is left is nearer. */
  beginsTurn: boolean;
}

/** Bitmaps of the documents that have a vector with an ordinal, by ordinal. */
export type Ordinals = ReadonlyMap<number, number>;

/** The ordinals of an embedder's vectors; null: no document has several vectors. */
export function ordinalsOf(reader: IndexReader, embedder: number): Ordinals | null {
  const { vectors, documents } = vectorCounts(reader, embedder);
  if (vectors <= documents) return null;
  const ordinals = new Map<number, number>();
  let met = 0;
  for (let ordinal = 0; ordinal < MAX_VECTORS_PER_DOCUMENT && met < vectors; ordinal++) {
    const holders = reader.newBitmap();
    addDocumentsWithOrdinal(reader, embedder, ordinal, holders);
    const count = reader.instance.exports.bitmapCount(holders, reader.bitmapBytes);
    if (count > 0) ordinals.set(ordinal, holders);
    met += count;
  }
  return ordinals;
}

/**
 * The documents of a bitmap as a search meets them: the `size` nearest by their first vectors together with the `size` nearest by
 * their second ones and so on, nearest first; when these are used up, the same of those that are left. A document that is far by its
 * first vector may so come after one that is farther: the reference keeps each ordinal's vectors apart, and this order, with
 * the groups of equals it makes, can be seen in answers.
 */
export class NearestInTurn {
  readonly #lists: VectorList[] = [];
  #pending: Neighbour[] = [];

  constructor(
    reader: IndexReader,
    target: VectorTarget,
    bitmap: number,
    ordinals: Ordinals | null,
    private readonly size: number,
    deadline: number,
  ) {
    const engine = reader.instance.exports;
    const add = (members: number, ordinal: number) => {
      const count = engine.bitmapCount(members, reader.bitmapBytes);
      if (count > 0) this.#lists.push(new VectorList(reader, target, members, count, ordinal, deadline));
    };
    if (ordinals === null) add(bitmap, ANY_ORDINAL);
    for (const [ordinal, holders] of ordinals ?? []) {
      const members = reader.copyOf(bitmap);
      engine.bitmapAnd(members, holders, reader.bitmapBytes);
      add(members, ordinal);
    }
  }

  /** The next of those that are left; null: the rest has no vectors. */
  next(isLeft: (slot: number) => boolean): Equals | null {
    let pending = this.#pending.filter(({ slot }) => isLeft(slot));
    const beginsTurn = pending.length === 0;
    if (beginsTurn) {
      pending = this.#lists.flatMap((list) => list.take(this.size, isLeft));
      pending.sort((a, b) => b.similarity - a.similarity);
    }
    const first = pending[0];
    if (!first) return null;
    const end = pending.findIndex(({ similarity }) => similarity !== first.similarity);
    this.#pending = end < 0 ? [] : pending.slice(end);
    const slots = (end < 0 ? pending : pending.slice(0, end)).map(({ slot }) => slot);
    return { slots: [...new Set(slots)], similarity: first.similarity, beginsTurn };
  }
}
