import type { IndexView } from './index-types.js';

/** Values that depend only on the state of an index and on a part of the request: each is made once. */
export class KeptByState<Value> {
  readonly #kept = new WeakMap<IndexView, Map<string, Value>>();

  /** @param most values kept for each state */
  constructor(private readonly most: number) {}

  /** @param key identifies the part of the request */
  of(view: IndexView, key: string, make: () => Value): Value {
    let kept = this.#kept.get(view);
    if (!kept || kept.size >= this.most) {
      kept = new Map();
      this.#kept.set(view, kept);
    }
    let value = kept.get(key);
    if (value === undefined) {
      value = make();
      kept.set(key, value);
    }
    return value;
  }
}
