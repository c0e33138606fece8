import { covers } from '../query/patterns.js';

/** How much of a value a selection keeps. */
export const NONE = 0;
/** Only what lies on the way to a selected path. */
export const PART = 1;
export const WHOLE = 2;
export type Share = typeof NONE | typeof PART | typeof WHOLE;

/** A set of dotted paths: each selects its value whole. */
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

  /** The share of the whole document. */
  get root(): Share {
    return this.all ? WHOLE : this.#names.size > 0 ? PART : NONE;
  }

  /** The share of the value at a path, given that of the value around it. */
  share(around: Share, path: string): Share {
    if (around !== PART) return around;
    if (this.#names.has(path)) return WHOLE;
    return this.#parents.has(path) ? PART : NONE;
  }
}

/** `a.b.c` -> `a`, `a.b`. */
function dottedParents(path: string): string[] {
  const parents: string[] = [];
  for (let dot = path.indexOf('.'); dot >= 0; dot = path.indexOf('.', dot + 1)) parents.push(path.slice(0, dot));
  return parents;
}

/** Whether one path is the other or is nested under it. */
export function related(a: string, b: string): boolean {
  return covers(a, b) || covers(b, a);
}
