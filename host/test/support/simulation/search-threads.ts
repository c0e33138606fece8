import type { SeededRandom } from '../../../../bindings/test/random.js';
import { Allocator } from '../../../index/memory/allocator.js';
import { Epochs } from '../../../index/memory/epochs.js';
import { HostRing } from '../../../search/ring/host-ring.js';
import { WorkerRing } from '../../../search/ring/worker-ring.js';
import { SLEEPING } from '../../../search/ring/workers.js';
import { type Actor, Asleep, Interleaving, Killed } from './interleave.js';

/**
 * The host and search threads over the real ring, epochs and allocator, in an order that a seed decides. What the pool does when
 * a thread ends or a request takes too long is done here as there.
 */

const SLOTS = 3;
const REQUEST_BYTES = 4;
const ANSWER_BYTES = 16;
/** Bytes of a state of the indexes, as the allocator hands them out. */
const STATE_BYTES = 64;
const MEMORY_BYTES = 64 * STATE_BYTES;
const FREED = 0xff;
/** Steps after which whatever is left must have been done. */
const MAX_STEPS = 3000;

export interface Outcome {
  faults: string[];
  answered: number;
  given: number;
  killed: number;
  points: number;
}

/** A search thread, one life of it. */
class Thread implements Actor {
  doomed = false;
  /** The thread has ended, and the host has been or will be notified. */
  over = false;
  asleep = false;
  /** Slots that were abandoned while the thread owned them. */
  readonly lost: number[] = [];
  /** Requests that were posted to it, by slot. */
  readonly posted = new Map<number, number>();
  readonly #ring: WorkerRing;
  /** The version that the thread uses, and its address. */
  #version = 0;
  #place = -1;

  constructor(
    private readonly world: World,
    readonly worker: number,
  ) {
    this.#ring = new WorkerRing(world.ring.buffers, worker);
  }

  isAble(): boolean {
    return !this.over && (!this.asleep || this.doomed || this.world.isWoken(this.worker));
  }

  step(): void {
    const isEnded = this.asleep && this.doomed;
    this.asleep = false;
    try {
      if (isEnded) throw new Killed();
      const taken = this.#ring.take();
      if (taken === null) {
        this.over = true;
        return;
      }
      const request = taken.request ? new Uint8Array(taken.request)[0]! : this.posted.get(taken.slot)!;
      this.#answer(taken.slot, request);
    } catch (error) {
      if (error instanceof Asleep) this.asleep = true;
      else if (error instanceof Killed) this.#die();
      else throw error;
    }
  }

  #answer(slot: number, request: number): void {
    const { world } = this;
    this.#ring.enter((version) => {
      if (version !== this.#version) this.#place = world.newest;
      this.#version = version;
    });
    const place = this.#place;
    const state = world.memory[place]!;
    const area = this.#ring.answerArea(slot);
    for (let i = 0; i < ANSWER_BYTES; i++) {
      world.interleaving.point();
      if (world.memory[place] !== state) world.faults.push(`thread ${this.worker} reads memory that was given to another state`);
      area[i] = request;
    }
    this.#ring.finish(slot, 200, ANSWER_BYTES, () => world.messages++);
    this.#ring.leave();
  }

  #die(): void {
    this.over = true;
    this.world.killed++;
    this.world.gone.push(this);
  }
}

/** The thread that clients talk to. */
class Host implements Actor {
  doomed = false;

  constructor(private readonly world: World) {}

  isAble(): boolean {
    return true;
  }

  step(): void {
    const { world } = this;
    const { random } = world.interleaving;
    const kind = random.int(12);
    if (world.messages > 0 && kind < 5) world.takeMessages();
    else if (world.gone.length > 0 && kind < 7) world.replace(world.gone.shift()!);
    else if (kind < 9) world.submit();
    else if (kind < 10) world.publish();
    else if (kind < 11) world.epochs.sweep();
    else if (!world.interleaving.calm && random.int(6) === 0) world.giveUpOne();
  }
}

class World {
  readonly faults: string[] = [];
  readonly gone: Thread[] = [];
  readonly memory = new Uint8Array(MEMORY_BYTES).fill(FREED);
  readonly ring: HostRing;
  readonly epochs: Epochs;
  readonly interleaving: Interleaving;
  /** Messages that answers are there. */
  messages = 0;
  /** Address of the state that was published last. */
  newest = 0;
  killed = 0;
  answered = 0;
  given = 0;
  left: number;
  readonly #allocator = new Allocator(0, MEMORY_BYTES);
  readonly #threads: Thread[] = [];
  readonly #free = Array.from({ length: SLOTS }, (_, slot) => slot);
  /** The request in each slot; null: none, or it has been settled. */
  readonly #asked: (number | null)[] = new Array(SLOTS).fill(null);
  #version = 1;
  #running = 0;

  constructor(random: SeededRandom) {
    this.interleaving = new Interleaving(random);
    const workers = 1 + random.int(3);
    this.left = 4 + random.int(12);
    this.ring = HostRing.create({ slots: SLOTS, workers, requestBytes: REQUEST_BYTES, answerBytes: ANSWER_BYTES });
    this.epochs = new Epochs(() => this.ring.workers.oldestEpoch());
    this.newest = this.#allocator.reserve(STATE_BYTES)!;
    this.memory.fill(1, this.newest, this.newest + STATE_BYTES);
    this.ring.announce(this.#version);
    this.interleaving.actors.push(new Host(this));
    for (let worker = 0; worker < workers; worker++) this.#start(worker);
  }

  isWoken(worker: number): boolean {
    const { control } = this.ring.workers;
    return control[this.ring.workers.cell(worker, SLEEPING)] === 0;
  }

  submit(): void {
    const slot = this.left > 0 ? this.#free.pop() : undefined;
    if (slot === undefined) return;
    const request = 1 + (this.left-- % 250);
    this.#asked[slot] = request;
    this.#running++;
    const { random } = this.interleaving;
    const thread = this.#threads.find(({ over }) => !over);
    if (thread && random.int(5) === 0) {
      thread.posted.set(slot, request);
      this.ring.submitMessage(slot, thread.worker);
      return;
    }
    this.ring.submit(slot, this.#running, (area) => {
      area[0] = request;
      return 1;
    });
  }

  takeMessages(): void {
    this.messages = 0;
    this.ring.setPolling(false);
    this.ring.collect((slot) => {
      const answer = this.ring.answer(slot)!;
      if (answer.length !== ANSWER_BYTES || !answer.every((byte) => byte === this.#asked[slot]))
        this.faults.push(`slot ${slot} asked ${this.#asked[slot]} and is answered ${answer}`);
      if (this.#asked[slot] !== null) this.answered++;
      this.#asked[slot] = null;
      this.#release(slot);
    });
  }

  /** A thread has ended: the requests that it had claimed are not answered by it. */
  replace(thread: Thread): void {
    this.takeMessages();
    this.ring.workers.retire(thread.worker);
    for (const slot of this.ring.slots.heldBy(thread.worker)) {
      if (!this.ring.slots.giveUp(slot, thread.worker)) continue;
      this.#giveUp(slot);
      thread.lost.push(slot);
    }
    for (const slot of thread.lost) this.#release(slot);
    this.#start(thread.worker);
  }

  /** A request takes too long: it is given up, and its thread ended. */
  giveUpOne(): void {
    for (let slot = 0; slot < SLOTS; slot++) {
      const worker = this.ring.slots.workerOf(slot);
      const thread = worker === null ? null : this.#threads[worker];
      if (!thread || thread.over || !this.ring.slots.giveUp(slot, thread.worker)) continue;
      this.#giveUp(slot);
      thread.lost.push(slot);
      thread.doomed = true;
      return;
    }
  }

  /** Publishes a new state of the indexes in its own memory; the old one is released when no thread reads it. */
  publish(): void {
    const place = this.#allocator.reserve(STATE_BYTES);
    if (place === null) return;
    const old = this.newest;
    this.memory.fill(this.#version % 250, place, place + STATE_BYTES);
    this.#version++;
    this.newest = place;
    this.interleaving.point();
    this.ring.announce(this.#version);
    this.epochs.retire(this.#version, () => {
      this.memory.fill(FREED, old, old + STATE_BYTES);
      this.#allocator.release(old);
    });
    this.epochs.sweep();
  }

  /** Everything has been answered and given back. */
  get isSettled(): boolean {
    return this.left === 0 && this.#free.length === SLOTS;
  }

  /** Runs until all is settled. */
  end(): void {
    this.interleaving.calm = true;
    for (let steps = 0; steps < MAX_STEPS && !this.isSettled; steps++) this.interleaving.someStep();
    if (!this.isSettled) this.faults.push(`${SLOTS - this.#free.length} requests are never answered`);
    this.epochs.sweep();
    if (this.isSettled && this.epochs.waiting > 0)
      this.faults.push('memory of old states is not given back, though nobody reads');
    if (this.isSettled && this.#allocator.used !== STATE_BYTES) this.faults.push(`${this.#allocator.used} bytes are in use`);
    this.epochs.close();
  }

  #giveUp(slot: number): void {
    this.given++;
    this.#asked[slot] = null;
  }

  #release(slot: number): void {
    if (this.#free.includes(slot)) this.faults.push(`slot ${slot} is given back twice`);
    this.#running--;
    this.ring.slots.release(slot);
    this.#free.push(slot);
  }

  #start(worker: number): void {
    const thread = new Thread(this, worker);
    this.#threads[worker] = thread;
    this.interleaving.actors[worker + 1] = thread;
  }
}

/** Requests, new states, threads that end and requests that are given up, until all is settled. */
export function simulate(random: SeededRandom): Outcome {
  const world = new World(random);
  world.interleaving.run(() => {
    for (let steps = 60 + random.int(100); steps > 0; steps--) world.interleaving.someStep();
    world.end();
  });
  const { faults, answered, given, killed, interleaving } = world;
  return { faults, answered, given, killed, points: interleaving.points };
}
