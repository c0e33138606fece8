import type { IndexReader } from '../../bindings/engine/segments.js';
import { ApiError } from '../../bindings/errors.js';
import { ByteWriter } from '../../bindings/format/byte-writer.js';
import { LocalIndex } from '../../bindings/local-index.js';
import { parseMultiSearch } from '../../bindings/query/multi-search.js';
import { searchFederated } from '../../bindings/search/federation/federation.js';
import { SearchSession } from '../../bindings/search/session.js';
import { type FederatedBody, type FederatedQuery, federate } from '../oracle/federation.js';
import { OracleIndex } from '../oracle/index.js';
import { type RandomCase, randomCase } from '../oracle/random-case.js';
import { randomRequest } from '../oracle/random-request.js';
import { type RandomText, randomText } from '../oracle/random-words.js';
import { completeSettings, type SentSettings } from '../oracle/settings.js';
import { Refusal } from '../oracle/text.js';
import { EngineBench } from './engine-index.js';

/** Federated searches of the engine against the oracle: which hits, in which order, for which query, how many, and their facets. */

const UIDS = ['brown', 'amber', 'coral'];
const REQUESTS_PER_CORPORA = 8;
const SCORE_TOLERANCE = 1e-12;

export interface FederatedResult {
  cases: number;
  /** Cases that both sides answered. */
  answered: number;
  /** What differs, with all that is needed to see it again. */
  differences: string[];
}

/** Compares at least `cases` searches; seeds count up from `seed`. */
export function federatedDifferential(cases: number, seed: number): FederatedResult {
  const bench = new EngineBench();
  const result: FederatedResult = { cases: 0, answered: 0, differences: [] };
  for (let next = seed; result.cases < cases; next++) {
    const sample = new FederatedSample(bench, next);
    for (let request = 0; request < REQUESTS_PER_CORPORA; request++) {
      const body = sample.randomBody();
      const [oracle, engine] = [sample.oracle(body), sample.engine(body)];
      result.cases++;
      if (!oracle.startsWith('"refused')) result.answered++;
      if (oracle === engine) continue;
      result.differences.push(`seed ${next} request ${request} ${JSON.stringify(body)}\n  oracle ${oracle}\n  engine ${engine}`);
    }
  }
  return result;
}

/** Three corpora on both sides. */
class FederatedSample {
  readonly #text: RandomText;
  readonly #cases: RandomCase[];
  readonly #settings: SentSettings[];
  readonly #oracles: Map<string, OracleIndex>;
  readonly #engines: LocalIndex[];

  constructor(bench: EngineBench, seed: number) {
    this.#text = randomText(~seed);
    this.#cases = UIDS.map((_, k) => randomCase(seed * UIDS.length + k, 0));
    // corpora with the same rules can be merged, others only sometimes
    const shared = this.#text.chance(80) ? this.#cases[0] : null;
    this.#settings = this.#cases.map(({ settings }) => comparable(shared?.settings ?? settings));
    const documents = this.#cases.map((each) => each.documents.map((json, internalId) => ({ internalId, json })));
    this.#oracles = new Map(UIDS.map((uid, k) => [uid, new OracleIndex(this.#settings[k] as SentSettings, documents[k] ?? [])]));
    this.#engines = UIDS.map((uid, k) => {
      const spread = { segments: 1 + this.#text.random.int(3), memories: 1 + this.#text.random.int(2) };
      const files = bench.files(completeSettings(this.#settings[k] as SentSettings), documents[k] ?? [], spread);
      return new LocalIndex(bench.module, { ...files, uid });
    });
  }

  randomBody(): FederatedBody {
    const text = this.#text;
    const page = text.chance(30)
      ? { page: text.random.int(3), hitsPerPage: text.random.int(8) }
      : { offset: text.random.int(4), limit: text.random.int(12) };
    const distinct = text.chance(20) ? { distinct: text.pick(['group', 'price', 'tags']) } : {};
    const facets = text.chance(30) ? { facetsByIndex: { amber: ['*'], coral: ['price', 'group'] } } : {};
    const sorts = this.#randomQuery().sort;
    const queries = Array.from({ length: 1 + text.random.int(4) }, () => {
      const query = this.#randomQuery();
      if (text.chance(80)) query.sort = sorts ?? [];
      if ('distinct' in distinct) delete query.distinct;
      return query;
    });
    return { queries, federation: { ...page, ...distinct, ...facets } };
  }

  #randomQuery(): FederatedQuery {
    const place = this.#text.random.int(UIDS.length);
    const words = randomText((this.#cases[place] as RandomCase).seed);
    const { offset, limit, page, hitsPerPage, facets, ...body } = randomRequest(
      this.#text,
      this.#settings[place] as SentSettings,
    );
    const word = words.word();
    const q = this.#text.pick(['', word, word, `${word} ${words.word()}`, words.misspelt(word), `"${word} ${words.word()}"`]);
    // not 0: hits of one query would be equal by their scores, and keep an order that no comparison gives
    const weight = this.#text.pick([0.01, 0.5, 1, 1, 2]);
    const options = this.#text.chance(40) ? { federationOptions: { weight } } : {};
    return { indexUid: UIDS[place] as string, ...body, q, ...options };
  }

  oracle(body: FederatedBody): string {
    try {
      const { hits, total, facets } = federate(this.#oracles, body);
      return JSON.stringify({
        hits: hits.map(({ uid, id, position, weighted }) => [uid, id, position, rounded(weighted)]),
        total,
        facets: [...facets].map(([uid, { distribution }]) => [
          uid,
          [...distribution].sort(byName).map(([field, values]) => [field, [...values].sort(byName)]),
        ]),
      });
    } catch (error) {
      if (error instanceof Refusal) return JSON.stringify(`refused ${error.message}`);
      throw error;
    }
  }

  engine(body: FederatedBody): string {
    try {
      const answer = JSON.parse(new TextDecoder().decode(this.#search(new TextEncoder().encode(JSON.stringify(body)))));
      return JSON.stringify({
        // biome-ignore lint/suspicious/noExplicitAny: hits as they come
        hits: answer.hits.map(({ id, _federation: { indexUid, queriesPosition, weightedRankingScore } }: any) => [
          indexUid,
          id,
          queriesPosition,
          rounded(weightedRankingScore),
        ]),
        total: answer.estimatedTotalHits ?? answer.totalHits,
        facets: Object.entries<{ distribution: object }>(answer.facetsByIndex ?? {}).map(([uid, { distribution }]) => [
          uid,
          Object.entries(distribution)
            .sort(byName)
            .map(([field, values]) => [field, Object.entries(values).sort(byName)]),
        ]),
      });
    } catch (error) {
      if (error instanceof ApiError) return JSON.stringify(`refused ${error.code}`);
      throw error;
    }
  }

  /** Searches inside one scope of every index: each has memories of its own. */
  #search(body: Uint8Array): Uint8Array {
    const readers = new Map<string, IndexReader>();
    const nested = (rest: readonly LocalIndex[]): Uint8Array => {
      const [index, ...others] = rest;
      if (!index) return searchFederated(sessionOver(readers), parseMultiSearch(body)).slice();
      return index.read((reader) => {
        readers.set(reader.view.uid, reader);
        return nested(others);
      });
    };
    return nested(this.#engines);
  }
}

/** Without what leaves no term of a query: it ranks as none does, but is compared as words are, and then no order is the right one. */
function comparable({ stopWords, separatorTokens, nonSeparatorTokens, searchCutoffMs, ...settings }: SentSettings): SentSettings {
  return settings;
}

function sessionOver(readers: ReadonlyMap<string, IndexReader>): SearchSession {
  return new SearchSession({
    open: (uid) => readers.get(uid) as IndexReader,
    out: new ByteWriter(),
    now: () => performance.now(),
    features: { containsFilter: true },
    metadata: false,
  });
}

const rounded = (score: number): number => Math.round(score / SCORE_TOLERANCE) * SCORE_TOLERANCE;
const byName = ([a]: [string, unknown], [b]: [string, unknown]): number => (a < b ? -1 : 1);
