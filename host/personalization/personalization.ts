import type { SearchAnswer } from '../search/answer.js';
import { itemsOf, type JsonRange, membersOf, withoutMembers } from './json-ranges.js';
import type { Reranker } from './reranker.js';

/** What the reranking of a search depends on. */
export interface PersonalizedSearch {
  /** The query texts; blank ones are ignored. */
  texts: readonly string[];
  userContext: string;
  /**
   * Whether a hit shows its score details. They are computed in any case, because they show which hits are pinned.
   * @param position position of the query that found the hit in a federated search; null in other searches
   */
  showsDetails(position: number | null): boolean;
  /** Milliseconds left of the time limit of the search. */
  timeLeft: number;
}

const OK = 200;
const DETAILS = '_rankingScoreDetails';
const FEDERATION = '_federation';

/** Reranks pages of hits for a user, using an external service. Pinned hits keep their places. */
export class Personalization {
  /** Searches reranked since the launch. */
  searches = 0;

  constructor(private readonly reranker: Pick<Reranker, 'order'>) {}

  /** @throws {ApiError} of {@link Reranker.order}; if the time is up the order is unchanged */
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
    const texts = shown.flatMap(({ bytes, plain, position }, place) => [
      place === 0 ? '' : ',',
      search.showsDetails(position) ? bytes : plain,
    ]);
    const parts = [body.subarray(0, list.value.from), '[', ...texts, ']', body.subarray(list.value.to)];
    const personalized = Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : part)));
    answer.release();
    return { status: OK, body: personalized, release() {} };
  }

  async #order({ texts, userContext, timeLeft }: PersonalizedSearch, hits: readonly Hit[]): Promise<number[]> {
    const asTheyAre = [...hits.keys()];
    if (hits.length < 2 || timeLeft <= 0) return asTheyAre;
    const signal = AbortSignal.timeout(timeLeft);
    const searched = [...new Set(texts.filter((text) => text.trim() !== ''))].map((text) => `\nQuery: ${text}`);
    const query = `User context: ${userContext}${searched.join('')}`;
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
  /** The hit without its score details. */
  plain: Buffer;
  isPinned: boolean;
  /** Position of the query that found it, in a federated search. */
  position: number | null;
}

function hitOf(body: Buffer, { from, to }: JsonRange): Hit {
  const bytes = body.subarray(from, to);
  const members = membersOf(bytes);
  const valueAt = (name: string) => members.find((member) => member.name === name)?.value;
  const details = valueAt(DETAILS);
  const federation = valueAt(FEDERATION);
  const position = federation ? positionIn(bytes.subarray(federation.from, federation.to)) : null;
  if (!details) return { bytes, plain: bytes, isPinned: false, position };
  const isPinned = membersOf(bytes, details.from).some(({ name }) => name === 'pin');
  return { bytes, plain: withoutMembers(bytes, new Set([DETAILS])), isPinned, position };
}

function positionIn(federation: Buffer): number {
  return (JSON.parse(federation.toString()) as { queriesPosition: number }).queriesPosition;
}
