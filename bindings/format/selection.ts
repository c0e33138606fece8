import { SHARE_NONE, SHARE_PART, SHARE_WHOLE } from '../engine/exports.js';

/** How much of a value a selection keeps: nothing, the parts on the way to selected paths, or everything. */
export type Share = typeof SHARE_NONE | typeof SHARE_PART | typeof SHARE_WHOLE;

/** A set of dotted paths, each of which selects its whole value. */
export class Selection {
  readonly #names: ReadonlySet<string>;
  readonly #parents = new Set<string>();

  /** @param names null: everything */
  constructor(names: Iterable<string> | null) {
    this.all = names === null;
    this.#names = new Set(names ?? []);
    for (const name of this.#names) for (const parent of dottedParents(name)) this.#parents.add(parent);
  }

  readonly all: boolean;

  /** The paths that are kept wholly or in part; none when everything is kept. */
  *paths(): Generator<string> {
    yield* this.#names;
    for (const parent of this.#parents) if (!this.#names.has(parent)) yield parent;
  }

  /** The share of the whole document. */
  get root(): Share {
    return this.all ? SHARE_WHOLE : this.#names.size > 0 ? SHARE_PART : SHARE_NONE;
  }

  /** The share of the value at a path whose parent is kept in part. */
  share(path: string): Share {
    if (this.#names.has(path)) return SHARE_WHOLE;
    return this.#parents.has(path) ? SHARE_PART : SHARE_NONE;
  }
}

/** `a.b.c` -> `a`, `a.b`. */
export function dottedParents(path: string): string[] {
  const parents: string[] = [];
  for (let dot = path.indexOf('.'); dot >= 0; dot = path.indexOf('.', dot + 1)) parents.push(path.slice(0, dot));
  return parents;
}
