import type { IndexView } from './index-types.js';

/** Bytes of the values kept for each state; a value counts as this many more, which is what the objects around it take. */
const MOST_BYTES = 1 << 20;
const ENTRY_BYTES = 1 << 11;
/** Keys remembered for each state whose values were needed once. */
const MOST_ONCE = 512;
/** Longest key in UTF-16 units: what is longer is seldom sent again. */
const LONGEST_KEY = 4096;

/** What is kept for a state. */
interface Kept<Value> {
  values: Map<string, Value>;
  bytes: number;
  /** Keys whose values were needed once, and are not kept. */
  once: Set<string>;
}

/**
 * Values that depend only on a part of a request and on an object that never changes, mostly the state of an index. A value is kept when it is
 * needed for the second time: keeping what is sent only once would cost more than making it. What fails is made again, and fails again.
 */
export class StateCache<Value, State extends object = IndexView> {
  readonly #byState = new WeakMap<State, Kept<Value>>();

  /** @param bytesOf bytes of the buffers that a value has */
  constructor(private readonly bytesOf: (value: Value) => number = () => 0) {}

  /** @param key identifies the part of the request; null: it is not kept */
  of(state: State, key: string | null, make: () => Value): Value {
    if (key === null || key.length > LONGEST_KEY) return make();
    const kept = this.#of(state);
    const known = kept.values.get(key);
    if (known !== undefined) return known;
    const value = make();
    if (kept.once.delete(key)) {
      kept.values.set(key, value);
      kept.bytes += ENTRY_BYTES + this.bytesOf(value);
    } else {
      if (kept.once.size >= MOST_ONCE) kept.once.clear();
      kept.once.add(key);
    }
    return value;
  }

  #of(state: State): Kept<Value> {
    let kept = this.#byState.get(state);
    if (!kept || kept.bytes >= MOST_BYTES) {
      kept = { values: new Map(), bytes: 0, once: new Set() };
      this.#byState.set(state, kept);
    }
    return kept;
  }
}
