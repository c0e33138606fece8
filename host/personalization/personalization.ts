import type { SearchAnswer } from '../search/types.js';
import { itemsOf, type JsonRange, membersOf, withoutMembers } from './json-ranges.js';
import type { Reranker } from './reranker.js';

/** What of a search decides the order of its hits for one user. */
export interface PersonalizedSearch {
  q: string | null;
  userContext: string;
  /** The request asks for the details of scores; they were made in any case, to tell which hits are pinned. */
  showsDetails: boolean;
  /** Milliseconds that are left of the time of the search. */
  timeLeft: number;
}

const OK = 200;
const DETAILS = '_rankingScoreDetails';

/** Puts the hits of pages in an order that suits a user, as a service elsewhere sees it. Pinned hits stay where they are. */
export class Personalization {
  /** Searches whose hits were put in order since the launch. */
  searches = 0;

  constructor(private readonly reranker: Pick<Reranker, 'order'>) {}

  /** @throws {ApiError} of {@link Reranker.order}; when the time is over the order stays */
  async personalized(answer: SearchAnswer, search: PersonalizedSearch): Promise<SearchAnswer> {
    if (answer.status !== OK) return answer;
    const { body } = answer;
    const list = membersOf(body).find(({ name }) => name === 'hits');
    if (!list) return answer;
    const hits = itemsOf(body, list.value.from).map((range) => hitOf(body, range));
    const movable = hits.filter(({ isPinned }) => !isPinned);
    const order = await this.#order(search, movable);
    const moved = order.map((place) => movable[place] as Hit);
    const shown = hits.map((hit) => (hit.isPinned ? hit : (moved.shift() as Hit)));
    const texts = shown.flatMap(({ bytes, plain }, place) => [place === 0 ? '' : ',', search.showsDetails ? bytes : plain]);
    const parts = [body.subarray(0, list.value.from), '[', ...texts, ']', body.subarray(list.value.to)];
    const personalized = Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : part)));
    answer.release();
    return { status: OK, body: personalized, release() {} };
  }

  async #order({ q, userContext, timeLeft }: PersonalizedSearch, hits: readonly Hit[]): Promise<number[]> {
    const asTheyAre = [...hits.keys()];
    if (hits.length < 2 || timeLeft <= 0) return asTheyAre;
    const signal = AbortSignal.timeout(timeLeft);
    const query = `User context: ${userContext}${q?.trim() ? `\nQuery: ${q}` : ''}`;
    try {
      const order = await this.reranker.order(
        query,
        hits.map(({ plain }) => plain.toString()),
        signal,
      );
      this.searches++;
      return order;
    } catch (error) {
      if (signal.aborted) return asTheyAre;
      throw error;
    }
  }
}

interface Hit {
  bytes: Buffer;
  /** Without the details of its score. */
  plain: Buffer;
  isPinned: boolean;
}

function hitOf(body: Buffer, { from, to }: JsonRange): Hit {
  const bytes = body.subarray(from, to);
  const details = membersOf(bytes).find(({ name }) => name === DETAILS);
  if (!details) return { bytes, plain: bytes, isPinned: false };
  const isPinned = membersOf(bytes, details.value.from).some(({ name }) => name === 'pin');
  return { bytes, plain: withoutMembers(bytes, new Set([DETAILS])), isPinned };
}
