import type { EngineInstance } from '../engine/instance.js';

/** One result may take this part of the room at most. */
const LARGEST_PART = 8;
/** What is kept may be dropped once it has been read so many times as often as it has results: less would be making it in vain. */
const READS_BEFORE_DROP = 4;

/** Results that are saved for are forgotten when there are so many of them. */
const MOST_SAVINGS = 4096;

/**
 * What was worked out of the postings of segments, kept in the persistent memory of an instance from query to query: segments
 * never change. When the room is used up everything is dropped at once, if it was of use; until then nothing more is kept.
 */
class KeptResults {
  readonly #results = new Map<string, number>();
  /** What queries have spent for want of a result. */
  readonly #savings = new Map<string, number>();
  readonly #room: number;
  #reads = 0;
  /** Something found no room. */
  #full = false;
  #generation: number;

  constructor(readonly instance: EngineInstance) {
    this.#room = instance.exports.persistentRoom();
    this.#generation = instance.generation;
  }

  /**
   * Is a result there, or worth its price by now? It is when queries have spent as much for want of it, this one `spending`
   * included: so all of them together never spend more than twice what was best.
   */
  isEarned(key: string, price: () => number, spending: number): boolean {
    if (this.#results.has(key)) return true;
    const saved = (this.#savings.get(key) ?? 0) + spending;
    if (this.#savings.size >= MOST_SAVINGS) this.#savings.clear();
    this.#savings.set(key, saved);
    return saved >= price();
  }

  /** Address of a result: zeroed bytes that a job fills when it is not there yet; 0 when there is no room. */
  result(key: string, bytes: number, make: (at: number) => void): number {
    return this.own(
      key,
      () => bytes,
      () => {
        const at = this.instance.exports.allocPersistent(bytes);
        if (at === 0) return 0;
        this.instance.bytes.fill(0, at, at + bytes);
        make(at);
        return at;
      },
    );
  }

  /** The same for a job that reserves persistent memory itself: `bytes`, about. */
  own(key: string, bytes: () => number, make: () => number): number {
    const known = this.#results.get(key);
    if (known !== undefined) {
      this.#reads++;
      return known;
    }
    const needed = bytes();
    if (needed > this.#room / LARGEST_PART) return 0;
    const made = needed > this.instance.exports.persistentLeft() ? 0 : make();
    if (made === 0) this.#full = true;
    else this.#results.set(key, made);
    this.#savings.delete(key);
    return made;
  }

  /** At the start of a query, never within one: drops everything when the room is used up and what is there was of use. */
  begin(): void {
    if (this.#generation !== this.instance.generation) this.#forget();
    if (!this.#full || this.#reads < this.#results.size * READS_BEFORE_DROP) return;
    this.instance.forget();
    this.#forget();
  }

  #forget(): void {
    this.#results.clear();
    this.#reads = 0;
    this.#full = false;
    this.#generation = this.instance.generation;
  }
}

const all = new WeakMap<EngineInstance, KeptResults>();

export function keptResults(instance: EngineInstance): KeptResults {
  let kept = all.get(instance);
  if (!kept) {
    kept = new KeptResults(instance);
    all.set(instance, kept);
  }
  return kept;
}
