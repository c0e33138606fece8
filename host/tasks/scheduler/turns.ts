import { Stopped } from './stop.js';

/** Lets one batch at a time use the indexes, in the order in which they ask. */
export class TurnQueue {
  #holder: Turn | null = null;
  readonly #line: { turn: Turn; go(): void; refuse(reason: Stopped): void }[] = [];

  /** Enters the queue; resolves when all earlier turns have ended or been given up temporarily. */
  async enter(): Promise<Turn> {
    const turn = new Turn(this);
    await this.take(turn);
    return turn;
  }

  /** @throws {Stopped} when the turn was ended while it waited */
  take(turn: Turn): Promise<void> {
    if (!this.#holder) {
      this.#holder = turn;
      return Promise.resolve();
    }
    return new Promise((go, refuse) => this.#line.push({ turn, go, refuse }));
  }

  leave(turn: Turn): void {
    if (this.#holder === turn) {
      const next = this.#line.shift();
      this.#holder = next?.turn ?? null;
      next?.go();
      return;
    }
    const place = this.#line.findIndex((each) => each.turn === turn);
    if (place >= 0) this.#line.splice(place, 1)[0]!.refuse(new Stopped());
  }
}

/** The turn of a batch in a {@link TurnQueue}. */
export class Turn {
  #over = false;

  constructor(private readonly queue: TurnQueue) {}

  /**
   * Lets other batches run during `work`, then waits for its turn again.
   * @throws {Stopped} when the turn was ended meanwhile
   */
  async outside<T>(work: () => Promise<T>): Promise<T> {
    this.#check();
    this.queue.leave(this);
    const [outcome] = await Promise.allSettled([work()]);
    this.#check();
    await this.queue.take(this);
    if (outcome.status === 'rejected') throw outcome.reason;
    return outcome.value;
  }

  end(): void {
    if (this.#over) return;
    this.#over = true;
    this.queue.leave(this);
  }

  #check(): void {
    if (this.#over) throw new Stopped();
  }
}
