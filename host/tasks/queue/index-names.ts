/** An index as tasks name it; all of them are shown with its present name. */
interface NamedIndex {
  name: string;
  /** The index with which it shares its name since a rename: from then on they are one. */
  joined: NamedIndex | null;
}

/** What one name meant over time: tasks with a uid from `since[i]` to before `since[i + 1]` name the index `indexes[i]` by it. */
interface Meanings {
  since: number[];
  indexes: NamedIndex[];
}

/**
 * The present names of the indexes that tasks name, after swaps and renames. A change of names takes as long as the names that it mentions,
 * however many tasks there are: tasks keep the name that they were registered with, and it is looked up when they are shown.
 */
export class IndexNames {
  /** By a name in a task. Names without swaps and renames are not in it. */
  readonly #meanings = new Map<string, Meanings>();
  /** By present name, for the same names. */
  readonly #holders = new Map<string, NamedIndex>();

  /** The present name of the index that task `uid` named. */
  present(name: string, uid: number): string {
    const meanings = this.#meanings.get(name);
    if (!meanings) return name;
    const { since, indexes } = meanings;
    let [low, high] = [0, since.length];
    while (low + 1 < high) {
      const middle = (low + high) >> 1;
      if (since[middle]! <= uid) low = middle;
      else high = middle;
    }
    return last(indexes[low]!).name;
  }

  /** Gives the tasks older than task `before` the new names of their indexes; all names change at once, as a swap requires. */
  rename(before: number, names: ReadonlyMap<string, string>): void {
    const moves = [...names].filter(([from, to]) => from !== to);
    const concerned = new Set(moves.flat());
    for (const name of concerned) this.#holder(name);
    const moved = moves.map(([from, to]) => ({ to, index: this.#holder(from) }));
    for (const [from] of moves) this.#holders.delete(from);
    for (const { to, index } of moved) {
      const present = this.#holders.get(to);
      if (present) index.joined = present;
      else this.#hold(to, index);
    }
    for (const name of concerned) {
      const { since, indexes } = this.#meanings.get(name)!;
      since.push(before);
      indexes.push(this.#holders.get(name) ?? this.#hold(name, { name, joined: null }));
    }
  }

  /** The index that has this name now. */
  #holder(name: string): NamedIndex {
    const holder = this.#holders.get(name);
    if (holder) return holder;
    const index = this.#hold(name, { name, joined: null });
    this.#meanings.set(name, { since: [0], indexes: [index] });
    return index;
  }

  #hold(name: string, index: NamedIndex): NamedIndex {
    index.name = name;
    this.#holders.set(name, index);
    return index;
  }
}

/** The index that this one has become by renames to names that were in use: the root, as in a union-find structure. */
function last(index: NamedIndex): NamedIndex {
  let end = index;
  while (end.joined) end = end.joined;
  if (end !== index) index.joined = end;
  return end;
}
