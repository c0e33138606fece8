import type { IndexView } from './index-types.js';

/** Values that depend only on the state of an index and on a part of the request: each is made once. */
export class StateCache<Value> {
  readonly #byState = new WeakMap<IndexView, Map<string, Value>>();

  /** @param most values cached for each state */
  constructor(private readonly most: number) {}

  /** @param key identifies the part of the request */
  of(view: IndexView, key: string, make: () => Value): Value {
    let values = this.#byState.get(view);
    if (!values || values.size >= this.most) {
      values = new Map();
      this.#byState.set(view, values);
    }
    let value = values.get(key);
    if (value === undefined) {
      value = make();
      values.set(key, value);
    }
    return value;
  }
}
