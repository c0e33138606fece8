import { isRefusal, type SearchAnswer } from '../answer.js';
import type { EncodedRequest } from '../request-bytes.js';

/**
 * The searches of one request. They start in order, concurrently in as many slots as the request has. After an error none is
 * started; those already running finish.
 */
export class ConcurrentSearches {
  /** Slots that the request has. */
  slots = 0;
  /** Level of cost with which it has acquired them. */
  level = 0;
  /** Milliseconds for which it had no slot between two of its searches; they do not count towards its time limit. */
  waited = 0;
  readonly #answers: SearchAnswer[] = [];
  #begun = 0;
  #ended = 0;
  #refused = false;
  #resolve: (answers: SearchAnswer[]) => void = () => {};
  /** The answers by position, at least up to the first error. */
  readonly answers = new Promise<SearchAnswer[]>((resolve) => {
    this.#resolve = resolve;
  });

  /**
   * @param encode makes the request at a position when it is about to start
   * @param client the connection that the request came on
   */
  constructor(
    readonly count: number,
    readonly encode: (position: number) => EncodedRequest,
    readonly client?: object,
  ) {}

  /** Whether there is another search to start. */
  get waits(): boolean {
    return !this.#refused && this.#begun < this.count;
  }

  /** The next request to start, and the callback for its answer. */
  next(): { request: EncodedRequest; settle: (answer: SearchAnswer) => void } {
    const position = this.#begun++;
    return { request: this.encode(position), settle: (answer) => this.#settle(position, answer) };
  }

  #settle(position: number, answer: SearchAnswer): void {
    this.#answers[position] = answer;
    this.#ended++;
    if (isRefusal(answer)) this.#refused = true;
    if (!this.waits && this.#ended === this.#begun) this.#resolve(this.#answers);
  }
}
