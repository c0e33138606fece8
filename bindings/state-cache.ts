import type { IndexView } from './index-types.js';

/** Bytes of the values kept for each state; a value counts as this many more, which is what the objects around it take. */
const MOST_BYTES = 1 << 20;
const ENTRY_BYTES = 1 << 11;
/** Longest key in UTF-16 units: what is longer is seldom sent again. */
const LONGEST_KEY = 4096;

/**
 * Values that depend only on a part of a request and on an object that never changes, mostly the state of an index: each is made
 * once. What fails is made again, and fails again.
 */
export class StateCache<Value, State extends object = IndexView> {
  readonly #byState = new WeakMap<State, { values: Map<string, Value>; bytes: number }>();

  /** @param bytesOf bytes of the buffers that a value has */
  constructor(private readonly bytesOf: (value: Value) => number = () => 0) {}

  /** @param key identifies the part of the request; null: it is not kept */
  of(state: State, key: string | null, make: () => Value): Value {
    if (key === null) return make();
    const known = this.#byState.get(state)?.values.get(key);
    return known === undefined ? this.#add(state, key, make()) : known;
  }

  #add(state: State, key: string, value: Value): Value {
    if (key.length > LONGEST_KEY) return value;
    let kept = this.#byState.get(state);
    if (!kept || kept.bytes >= MOST_BYTES) {
      kept = { values: new Map(), bytes: 0 };
      this.#byState.set(state, kept);
    }
    kept.values.set(key, value);
    kept.bytes += ENTRY_BYTES + this.bytesOf(value);
    return value;
  }
}
