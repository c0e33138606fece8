import type { SeededRandom } from '../../../../bindings/test/random.js';

/** The thread that was at work ends here. */
export class Killed extends Error {}
/** The thread that was at work waits to be woken. */
export class Asleep extends Error {}

/** One that acts in steps; while it is in one, it begins no other. */
export interface Actor {
  /** The thread ends at one of its next calls on shared memory. */
  doomed: boolean;
  isAble(): boolean;
  step(): void;
}

const REAL = { ...atomicsOf(Atomics) };

function atomicsOf({ load, store, add, exchange, compareExchange, notify, wait }: typeof Atomics) {
  return { load, store, add, exchange, compareExchange, notify, wait };
}

/** Largest nesting depth of steps: between two calls of one step, others run completely. */
const DEPTH = 4;
/** At one call in this many another step begins, or a thread is killed. */
const SWITCH = 6;
const KILL = 1500;
/** The same for one that is doomed. */
const DOOM = 6;

/**
 * Runs code that shares memory in one thread, in an order that one seed decides: at any call of `Atomics` of one actor others may
 * take whole steps, those again interrupted by others; a thread may end there, and one that waits gives way until it is woken.
 */
export class Interleaving {
  readonly actors: Actor[] = [];
  readonly #stack: Actor[] = [];
  #clock = 0;
  /** No thread is killed any more. */
  calm = false;
  /** Points that have been passed. */
  points = 0;

  constructor(readonly random: SeededRandom) {}

  /** Runs a job with `Atomics` and the clocks taken over. */
  run(job: () => void): void {
    const point = () => this.point();
    const taken = Object.fromEntries(
      (['load', 'store', 'add', 'exchange', 'compareExchange', 'notify'] as const).map((name) => [
        name,
        (...parameters: unknown[]) => {
          point();
          return (REAL[name] as (...all: unknown[]) => unknown)(...parameters);
        },
      ]),
    );
    const wait = (array: Int32Array, index: number, value: number) => {
      point();
      if (REAL.load(array, index) !== value) return 'not-equal';
      throw new Asleep();
    };
    const clocks = { now: performance.now, bigint: process.hrtime.bigint };
    Object.assign(Atomics, taken, { wait });
    Object.assign(performance, { now: () => this.#time() });
    Object.assign(process.hrtime, { bigint: () => BigInt(Math.floor(this.#time() * 1e6)) });
    try {
      job();
    } finally {
      Object.assign(Atomics, REAL);
      Object.assign(performance, { now: clocks.now });
      Object.assign(process.hrtime, { bigint: clocks.bigint });
    }
  }

  /** Milliseconds; now and then it jumps. */
  #time(): number {
    this.#clock += this.random.int(50) === 0 ? this.random.int(100) : 0.01;
    return this.#clock;
  }

  /** Where something may come between. */
  point(): void {
    this.points++;
    const acting = this.#stack.at(-1);
    if (acting?.doomed && this.random.int(DOOM) === 0) throw new Killed();
    if (this.#stack.length < DEPTH && this.random.int(SWITCH) === 0) this.someStep();
    if (acting && !this.calm && acting !== this.actors[0] && this.random.int(KILL) === 0) throw new Killed();
  }

  /** A step of one of those that can do one; false when there is none. */
  someStep(): boolean {
    const able = this.actors.filter((actor) => !this.#stack.includes(actor) && actor.isAble());
    if (able.length === 0) return false;
    const actor = this.random.pick(able);
    this.#stack.push(actor);
    try {
      actor.step();
    } finally {
      this.#stack.pop();
    }
    return true;
  }
}
