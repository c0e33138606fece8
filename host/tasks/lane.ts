import { Stopped } from './stop.js';

/** Lets one batch at a time at the indexes; the others stand in line. */
export class Lane {
  #holder: Turn | null = null;
  readonly #line: { turn: Turn; go(): void; refuse(reason: Stopped): void }[] = [];

  /** A turn, once all before it are over or outside. */
  async enter(): Promise<Turn> {
    const turn = new Turn(this);
    await this.take(turn);
    return turn;
  }

  /** @throws {Stopped} the turn was ended while it stood in line */
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

/** A stay in a {@link Lane}. */
export class Turn {
  #over = false;

  constructor(private readonly lane: Lane) {}

  /**
   * Lets others in while `work` goes on, and stands in line again after it.
   * @throws {Stopped} the turn is over
   */
  async outside<T>(work: () => Promise<T>): Promise<T> {
    this.#check();
    this.lane.leave(this);
    const [outcome] = await Promise.allSettled([work()]);
    this.#check();
    await this.lane.take(this);
    if (outcome.status === 'rejected') throw outcome.reason;
    return outcome.value;
  }

  end(): void {
    if (this.#over) return;
    this.#over = true;
    this.lane.leave(this);
  }

  #check(): void {
    if (this.#over) throw new Stopped();
  }
}
