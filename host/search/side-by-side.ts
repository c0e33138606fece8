import type { EncodedRequest } from './request-bytes.js';
import { isRefusal, type SearchAnswer } from './types.js';

/**
 * The searches of one request, begun in their order, as many at once as it has places for. After one that is refused none is begun;
 * those before it end.
 */
export class SideBySide {
  /** Places that the request has. */
  places = 0;
  readonly #answers: SearchAnswer[] = [];
  #begun = 0;
  #ended = 0;
  #refused = false;
  #resolve: (answers: SearchAnswer[]) => void = () => {};
  /** The answers by position, up to the first that is refused at least. */
  readonly answers = new Promise<SearchAnswer[]>((resolve) => {
    this.#resolve = resolve;
  });

  /** @param encode makes the request of a position when it is its turn */
  constructor(
    readonly count: number,
    readonly encode: (position: number) => EncodedRequest,
  ) {}

  /** Is there another to begin? */
  get waits(): boolean {
    return !this.#refused && this.#begun < this.count;
  }

  /** The request to begin next, and where its answer goes. */
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
