import t from 'tap';
import { EngineBench } from '../../test/differential/engine-index.js';
import { completeSettings } from '../../test/oracle/settings.js';
import { ApiError } from '../errors.js';
import type { IndexSettings } from '../index-types.js';
import { LocalIndex } from '../local-index.js';
import { readSearch } from '../query/request.js';
import { StateCache } from '../state-cache.js';
import { seededRandom } from './random.js';

/** Requests that differ in nothing but `q` share what was made for another one: that must change neither answers nor errors. */

const encoder = new TextEncoder();
const decoder = new TextDecoder();
const ROUNDS = 400;

const WORDS = ['box', 'red box', '"blue box"', 'bix', '', 'lamp -red', 'b', 'a "quoted" \\ word', 'zzz'];

/** Members with values, faulty ones among them. */
const MEMBERS: Record<string, unknown[]> = {
  filter: ['group = a', ['group = a', ['price > 1', 'price < 3']], 'name = x', 'group =', 'text CONTAINS ox', 7, 'price 1 TO 2'],
  sort: [['price:asc'], ['price:desc', 'group:asc'], ['name:asc'], ['price']],
  facets: [['group'], ['*'], ['group', 'price'], []],
  disjunctiveFacets: [['group'], ['price']],
  attributesToSearchOn: [['text'], ['name'], ['nothing'], ['*']],
  distinct: ['group', 'name'],
  limit: [0, 1, 3, 'x'],
  page: [1, 2],
  attributesToHighlight: [['*'], ['text']],
  attributesToRetrieve: [['id'], ['*'], ['none']],
  matchingStrategy: ['all', 'frequency', 'none'],
  rankingScoreThreshold: [0.2, 0.9, 2],
  showRankingScoreDetails: [true],
  locales: [['eng'], []],
  media: [{ q: 'box' }],
  vector: [[1, 2]],
  hybrid: [{ embedder: 'none' }],
};

const DOCUMENTS = Array.from({ length: 40 }, (_, id) => ({
  id,
  name: `n${id % 7}`,
  group: 'abc'[id % 3],
  price: id % 5,
  text: ['red box', 'blue box', 'box of lamps', 'a red lamp', 'blue'][(id * 7) % 5],
}));
const SETTINGS = {
  searchableAttributes: ['text', 'name'],
  filterableAttributes: ['group', 'price', 'text'],
  sortableAttributes: ['price', 'group'],
};

const settings: IndexSettings = completeSettings(SETTINGS);
const bench = new EngineBench();
const files = bench.files(
  settings,
  DOCUMENTS.map((document, internalId) => ({ internalId, json: JSON.stringify(document) })),
  { segments: 2, memories: 1 },
);

function answerOf(index: LocalIndex, body: string): string {
  try {
    const answer = decoder.decode(index.search(encoder.encode(body)));
    return answer.replaceAll(/"(?:processingTimeMs":\d+|requestUid":"[^"]*")/g, '');
  } catch (error) {
    if (error instanceof ApiError) return `${error.code} ${error.message}`;
    throw error;
  }
}

t.test('answers and errors are those of an index that was never searched', async (t) => {
  const random = seededRandom(5);
  const searched = new LocalIndex(bench.module, { ...files, cacheBytes: 1 << 20 });
  const names = Object.keys(MEMBERS);
  const forms = Array.from({ length: 60 }, () => {
    const chosen = Array.from({ length: random.int(4) }, () => random.pick(names));
    return JSON.stringify(Object.fromEntries(chosen.map((name) => [name, random.pick(MEMBERS[name] ?? [])]))).slice(1, -1);
  });
  const codes = new Set<string>();
  for (let round = 0; round < ROUNDS; round++) {
    const members = random.pick(forms);
    const q = `"q":${JSON.stringify(random.pick(WORDS))}`;
    const [first, last] = [
      [q, members],
      [members, q],
    ].map((parts) => `{${parts.filter((part) => part !== '').join()}}`) as [string, string];
    const expected = answerOf(new LocalIndex(bench.module, { ...files, cacheBytes: 1 << 20 }), last);
    codes.add(expected.startsWith('{') ? 'answer' : (expected.split(' ')[0] as string));
    if (answerOf(searched, first) !== expected) t.equal(answerOf(searched, first), expected, first);
  }
  t.ok(codes.size > 8, [...codes].join());
});

t.test('the last q of a body counts, however it is named', async (t) => {
  const qOf = (body: string) => readSearch(encoder.encode(body)).query.text;
  for (const q of ['a', 'b', 'a']) {
    t.equal(qOf(`{"q":"${q}","limit":4}`), q);
    t.equal(qOf(` { "q" : "${q}" , "limit":4}`), q);
    t.equal(qOf(`{"q":"${q}","limit":4,"q":"c"}`), 'c');
    t.equal(qOf(`{"q":"${q}","limit":4,"\\u0071":"d"}`), 'd');
    t.equal(qOf(`{"q":"${q}","limit":4,"q":null}`), null);
    t.equal(qOf(`{"limit":4,"q":"${q}"}`), q);
    t.equal(qOf(`{"q":"\\"${q}\\"","limit":4}`), `"${q}"`);
  }
  const sent = (body: string) => readSearch(encoder.encode(body));
  t.equal(sent('{"q":"a","limit":4}').form, sent('{"q":"b","limit":4}').form);
  t.not(sent('{"q":"a","limit":4}').form, sent('{"q":"a","limit":5}').form);
  t.equal(sent('{"q":"a","vector":[1]}').form, null);
});

t.test('values are kept from the second use on for a state and a key, except long keys, and not more than fit', async (t) => {
  const made: string[] = [];
  const cache = new StateCache<string, object>((value) => value.length);
  const [one, other] = [{}, {}];
  const of = (state: object, key: string | null, value = String(key)) => {
    made.length = 0;
    const found = cache.of(state, key, () => {
      made.push(value);
      return value;
    });
    return [found, made.length];
  };
  t.same(of(one, 'a', 'w'), ['w', 1]);
  t.same(of(one, 'a'), ['a', 1], 'kept from the second use on');
  t.same(of(one, 'a', 'x'), ['a', 0]);
  t.same(of(other, 'a', 'x'), ['x', 1], 'another state');
  t.same(of(one, null, 'x'), ['x', 1]);
  for (const value of ['x', 'y', 'z']) t.same(of(one, 'k'.repeat(5000), value), [value, 1]);
  t.throws(
    () =>
      cache.of(one, 'f', () => {
        throw new Error('refused');
      }),
    /refused/,
  );
  t.same(of(one, 'f'), ['f', 1], 'what failed is made again');
  for (let key = 0; key < 1000; key++) of(one, `n${key}`);
  t.same(of(one, 'a', 'x'), ['a', 0], 'what is needed once takes no place');
  for (let key = 0; key < 1000; key++) for (let use = 0; use < 2; use++) of(one, `n${key}`);
  t.same(of(one, 'a', 'x'), ['x', 1], 'dropped');
});
