import { ANY_ORDINAL, FILTER_ORDINAL } from '../../engine/exports.js';
import { type Neighbour, nearest } from '../../engine/nearest-vectors.js';
import type { IndexReader } from '../../engine/segments.js';
import { documentsByVectors, ordinalsInUse } from '../../engine/vector-sets.js';
import type { VectorTarget } from './target.js';

/** Growth of the number of neighbours searched when there were too few. */
const MORE_NEIGHBOURS = 4;

/** The documents of a bitmap, nearest first, by their vectors with one ordinal; extended on demand. */
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

  /** The next documents that have not been taken. */
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

/** Documents of equal similarity. */
export interface Equals {
  slots: readonly number[];
  similarity: number;
  /** The first of a batch: no remaining document is nearer. */
  beginsTurn: boolean;
}

/** By ordinal: bitmap of the documents that have a vector with it. */
export type Ordinals = ReadonlyMap<number, number>;

/** The ordinals of an embedder's vectors; null: no document has several vectors. */
export function ordinalsOf(reader: IndexReader, embedder: number): Ordinals | null {
  const used = ordinalsInUse(reader, embedder);
  if (used === null) return null;
  const ordinals = new Map<number, number>();
  for (const ordinal of used) ordinals.set(ordinal, documentsByVectors(reader, FILTER_ORDINAL, embedder, ordinal));
  return ordinals;
}

/**
 * The documents of a bitmap in the order of the reference server, which has a separate index for the vectors of each ordinal: a batch
 * has the `size` nearest documents by their first vectors, the `size` nearest by their second ones and so on, nearest first; then
 * follows the same of the remaining documents. So a nearer document may come in a later batch, which is visible in answers.
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
    const add = (members: number, ordinal: number) => {
      const count = reader.count(members);
      if (count > 0) this.#lists.push(new VectorList(reader, target, members, count, ordinal, deadline));
    };
    if (ordinals === null) add(bitmap, ANY_ORDINAL);
    for (const [ordinal, holders] of ordinals ?? []) {
      const members = reader.copyOf(bitmap);
      reader.intersect(members, holders);
      add(members, ordinal);
    }
  }

  /** The next of the remaining documents; null: the others have no vectors. */
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
