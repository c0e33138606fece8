import t from 'tap';
import { Query } from '../query/query.js';
import {
  type FacetSearchRequest,
  parseFacetSearchBody,
  parseSearchBody,
  parseSearchParameters,
  SEARCH_MEMBERS,
  SEARCH_PARAMETERS,
  searchKind,
} from '../query/request.js';

import { refusal } from './refusal.js';

const encoder = new TextEncoder();
const search = (body: unknown) => parseSearchBody(encoder.encode(typeof body === 'string' ? body : JSON.stringify(body)));
const query = (text: string) => parseSearchParameters([...new URLSearchParams(text)]);

const DEFAULTS = {
  q: null,
  vector: null,
  media: null,
  hybrid: null,
  offset: 0,
  limit: 20,
  page: null,
  hitsPerPage: null,
  attributesToRetrieve: null,
  retrieveVectors: false,
  attributesToCrop: null,
  cropLength: 10,
  attributesToHighlight: null,
  showMatchesPosition: false,
  showRankingScore: false,
  showRankingScoreDetails: false,
  showPerformanceDetails: false,
  useNetwork: null,
  filter: null,
  sort: null,
  distinct: null,
  facets: null,
  disjunctiveFacets: null,
  highlightPreTag: '<em>',
  highlightPostTag: '</em>',
  cropMarker: '…',
  matchingStrategy: 'last',
  attributesToSearchOn: null,
  rankingScoreThreshold: null,
  locales: null,
  personalize: null,
};

t.test('absent members take their defaults', async (t) => {
  t.strictSame(search({}), DEFAULTS);
  t.strictSame(query(''), DEFAULTS);
});

/** Per member: values that are taken (sent, read) and values that are refused. */
const UINT = { good: [0, 7, 9007199254740991], bad: [-1, 2.5, '3', true, [], {}, 9007199254740992] };
const LIST = { good: [[], ['a'], ['a', '*']], bad: ['a', 3, {}, [1], ['a', null]] };
const FLAG = { good: [true, false], bad: [null, 'true', 1, []] };
const TEXT = { good: ['', 'x y'], bad: [1, true, ['x'], {}] };
const NULLABLE = { good: [null], bad: [] };
const NOT_NULL = { good: [], bad: [null] };
const both = (...kinds: { good: unknown[]; bad: unknown[] }[]) => ({
  good: kinds.flatMap((kind) => kind.good),
  bad: kinds.flatMap((kind) => kind.bad),
});

const MEMBERS: Record<string, { code: string; good: unknown[]; bad: unknown[] }> = {
  q: { code: 'invalid_search_q', ...both(TEXT, NULLABLE) },
  offset: { code: 'invalid_search_offset', ...both(UINT, NOT_NULL) },
  limit: { code: 'invalid_search_limit', ...both(UINT, NOT_NULL) },
  page: { code: 'invalid_search_page', ...both(UINT, NULLABLE) },
  hitsPerPage: { code: 'invalid_search_hits_per_page', ...both(UINT, NULLABLE) },
  filter: { code: '', good: [null, 'a = 1', ['a = 1', ['b = 2']], 5, {}, ''], bad: [] },
  facets: { code: 'invalid_search_facets', ...both(LIST, NULLABLE) },
  disjunctiveFacets: { code: 'invalid_search_disjunctive_facets', ...both(LIST, NULLABLE) },
  distinct: { code: 'invalid_search_distinct', ...both(TEXT, NULLABLE) },
  attributesToRetrieve: { code: 'invalid_search_attributes_to_retrieve', ...both(LIST, NULLABLE) },
  attributesToCrop: { code: 'invalid_search_attributes_to_crop', ...both(LIST, NULLABLE) },
  cropLength: { code: 'invalid_search_crop_length', ...both(UINT, NOT_NULL) },
  attributesToHighlight: { code: 'invalid_search_attributes_to_highlight', ...both(LIST, NULLABLE) },
  cropMarker: { code: 'invalid_search_crop_marker', ...TEXT },
  highlightPreTag: { code: 'invalid_search_highlight_pre_tag', ...TEXT },
  highlightPostTag: { code: 'invalid_search_highlight_post_tag', ...TEXT },
  showMatchesPosition: { code: 'invalid_search_show_matches_position', ...FLAG },
  sort: { code: 'invalid_search_sort', ...both(LIST, NULLABLE) },
  matchingStrategy: {
    code: 'invalid_search_matching_strategy',
    good: ['last', 'all', 'frequency'],
    bad: ['any', 'Last', '', 1, null, ['last']],
  },
  showRankingScore: { code: 'invalid_search_show_ranking_score', ...FLAG },
  showRankingScoreDetails: { code: 'invalid_search_show_ranking_score_details', ...FLAG },
  rankingScoreThreshold: {
    code: 'invalid_search_ranking_score_threshold',
    good: [0, 1, 0.5, null],
    bad: [-0.1, 1.0001, '0.5', true, []],
  },
  attributesToSearchOn: { code: 'invalid_search_attributes_to_search_on', ...both(LIST, NULLABLE) },
  hybrid: {
    code: 'invalid_search_hybrid_query',
    good: [null, { embedder: 'e', semanticRatio: 0 }],
    bad: ['default', [], {}, 5, { embedder: 'e', ratio: 1 }, { semanticRatio: 0.2 }],
  },
  vector: { code: 'invalid_search_vector', good: [null, [], [1, -0.5, 1e3]], bad: ['1,2', ['1'], {}, 3, [null]] },
  retrieveVectors: { code: 'invalid_search_retrieve_vectors', ...FLAG },
  locales: {
    code: 'invalid_search_locales',
    good: [null, [], ['en', 'fra', 'cmn']],
    bad: ['en', ['xx'], ['en-US'], [''], [1], ['EN']],
  },
  media: { code: '', good: [null, 1, 'x', [], { image: 'x' }], bad: [] },
  personalize: {
    code: 'invalid_search_personalize',
    good: [null, { userContext: 'likes shade' }],
    bad: [5, {}, 'x', { userContext: 'x', extra: 1 }],
  },
  useNetwork: { code: 'invalid_search_use_network', good: [true, false, null], bad: ['true', 1] },
  showPerformanceDetails: { code: 'invalid_search_show_performance_details', ...FLAG },
};

t.test('every member of a body is parsed', async (t) => {
  t.strictSame(Object.keys(MEMBERS).sort(), Object.keys(SEARCH_MEMBERS).sort());
  for (const [name, { code, good, bad }] of Object.entries(MEMBERS)) {
    for (const value of good) {
      t.strictSame(search({ [name]: value }), { ...DEFAULTS, [name]: value }, `${name} takes ${JSON.stringify(value)}`);
    }
    for (const value of bad) {
      const error = refusal(() => search({ [name]: value }));
      t.equal(error.code, code, `${name} refuses ${JSON.stringify(value)}`);
      t.ok(error.message.includes(`.${name}`), error.message.slice(0, 150));
    }
  }
  t.strictSame(search({ cropMarker: null, highlightPreTag: null, highlightPostTag: null }), {
    ...DEFAULTS,
    cropMarker: '',
    highlightPreTag: '',
    highlightPostTag: '',
  });
  t.strictSame(search({ hybrid: { embedder: 'e' } }).hybrid, { embedder: 'e', semanticRatio: 0.5 });
});

t.test('members of nested objects have codes of their own', async (t) => {
  const cases: [string, string][] = [
    ['{"hybrid":{"embedder":1}}', 'invalid_search_embedder'],
    ['{"hybrid":{"embedder":null}}', 'invalid_search_embedder'],
    ['{"hybrid":{"embedder":"x","semanticRatio":2}}', 'invalid_search_semantic_ratio'],
    ['{"hybrid":{"embedder":"x","semanticRatio":null}}', 'invalid_search_semantic_ratio'],
    ['{"hybrid":{"semanticRatio":3,"embedder":1}}', 'invalid_search_semantic_ratio'],
    ['{"hybrid":{"embedder":1,"semanticRatio":3}}', 'invalid_search_embedder'],
    ['{"personalize":{"userContext":null}}', 'invalid_search_personalize_user_context'],
    ['{"personalize":{"userContext":3}}', 'invalid_search_personalize_user_context'],
  ];
  for (const [body, code] of cases) t.equal(refusal(() => search(body)).code, code, body);
});

t.test('the first bad member in the order sent decides', async (t) => {
  const cases: [string, string][] = [
    ['{"limit":-1,"offset":-1}', 'invalid_search_limit'],
    ['{"offset":-1,"limit":-1}', 'invalid_search_offset'],
    ['{"limit":-1,"colour":1}', 'invalid_search_limit'],
    ['{"colour":1,"limit":-1}', 'bad_request'],
    ['{"limit":-1,"5":1}', 'invalid_search_limit'],
    ['{"5":1,"limit":-1}', 'bad_request'],
    ['{"__proto__":1}', 'bad_request'],
    ['{"toString":1}', 'bad_request'],
  ];
  for (const [body, code] of cases) t.equal(refusal(() => search(body)).code, code, body);
  t.equal(search('{"limit":"x","limit":2}').limit, 2, 'only the last of a repeated member is checked');
});

t.test('bodies other than objects are refused', async (t) => {
  const cases: [string, string][] = [
    ['', 'missing_payload'],
    [' ', 'malformed_payload'],
    ['{"q":"birch"} x', 'malformed_payload'],
    ['{"q":"birch",}', 'malformed_payload'],
    ["{'q':1}", 'malformed_payload'],
    ['{"q":"\t"}', 'malformed_payload'],
    ['{"q":"\\ud800"}', 'malformed_payload'],
    ['{"limit":01}', 'malformed_payload'],
    ['[1,', 'malformed_payload'],
    [`{"media":${'['.repeat(200)}${']'.repeat(200)}}`, 'malformed_payload'],
    ['[]', 'bad_request'],
    ['"birch"', 'bad_request'],
    ['12', 'bad_request'],
    ['true', 'bad_request'],
    ['null', 'bad_request'],
  ];
  for (const [body, code] of cases) t.equal(refusal(() => search(body)).code, code, body.slice(0, 30));
  t.equal(refusal(() => parseSearchBody(Uint8Array.of(0x22, 0xff, 0x22))).code, 'malformed_payload');
  t.equal(search('{"q":"a\\u0041\\ud83e\\udd8a\\n"}').q, 'aA🦊\n');
});

t.test('messages name the path, the value, what is allowed, and what was probably meant', async (t) => {
  const cases: [unknown, string[]][] = [
    [{ attributesToCrop: ['a', 'b', 3] }, ['`.attributesToCrop[2]`', 'a string', 'the number 3']],
    [{ limit: 'ten' }, ['`.limit`', 'integer', 'the string "ten"']],
    [{ matchingStrategy: 'lasst' }, ['`last`, `all`, `frequency`', 'mean `last`', '"lasst"']],
    [{ rankingScoreThreshold: 2 }, ['.rankingScoreThreshold', '0.0', '1.0', '2']],
    [{ limti: 1 }, ['`limti`', '`limit`', '`attributesToSearchOn`', 'Did you mean `limit`']],
    [{ hybrid: { embeder: 'x' } }, ['`embeder`', '`.hybrid`', 'mean `embedder`']],
    [{ locales: ['xx'] }, ['.locales[0]', '"xx"', '`af`, `ak`', '`cmn`']],
  ];
  for (const [body, parts] of cases) {
    const { message } = refusal(() => search(body));
    for (const part of parts) t.ok(message.includes(part), `${part} in: ${message.slice(0, 150)}`);
  }
  t.notOk(refusal(() => search({ lim: 1 })).message.includes('mean'), 'three letters are too few for a suggestion');
});

t.test('query strings are parsed', async (t) => {
  const good: [string, object][] = [
    ['q=', { q: '' }],
    ['q=a+b%20c&limit=007&offset=3', { q: 'a b c', limit: 7, offset: 3 }],
    ['q=yew&limit=1&q=oak', { q: 'oak', limit: 1 }],
    ['attributesToRetrieve=,id,,%20name,', { attributesToRetrieve: ['id', ' name'] }],
    ['attributesToRetrieve=', { attributesToRetrieve: [] }],
    ['cropMarker=&highlightPreTag=&highlightPostTag=', { cropMarker: '', highlightPreTag: '', highlightPostTag: '' }],
    ['showRankingScore=true&useNetwork=false', { showRankingScore: true, useNetwork: false }],
    ['filter=kind%20%3D%20rail', { filter: 'kind = rail' }],
    ['filter=%5B%22kind%20%3D%20rail%22%5D', { filter: ['kind = rail'] }],
    ['filter=true', { filter: 'true' }],
    ['filter=%7B%22a%22:1%7D', { filter: '{"a":1}' }],
    ['filter=', { filter: '' }],
    ['sort=stock:asc%20,%20_geoPoint(1.5,%202):desc', { sort: ['stock:asc', '_geoPoint(1.5,2):desc'] }],
    ['sort=%22price:asc%22', { sort: ['price:asc'] }],
    ['sort=', { sort: [''] }],
    ['vector=1,,-0.5e1', { vector: [1, -5] }],
    ['hybridEmbedder=e', { hybrid: { embedder: 'e', semanticRatio: 0.5 } }],
    ['hybridSemanticRatio=1&hybridEmbedder=e', { hybrid: { embedder: 'e', semanticRatio: 1 } }],
    ['personalizeUserContext=x', { personalize: { userContext: 'x' } }],
    ['locales=eng,fr', { locales: ['eng', 'fr'] }],
    ['locales=', { locales: [] }],
    ['rankingScoreThreshold=.5', { rankingScoreThreshold: 0.5 }],
  ];
  for (const [text, expected] of good) t.strictSame(query(text), { ...DEFAULTS, ...expected }, text);
  const bad: [string, string][] = [
    ...['', '-1', '1.5', '1e1', ' 1', 'abc', '0x1', '+1'].map((text): [string, string] => [
      `limit=${encodeURIComponent(text)}`,
      'invalid_search_limit',
    ]),
    ...['', '1', 'TRUE', 'yes'].map((text): [string, string] => [
      `showRankingScore=${text}`,
      'invalid_search_show_ranking_score',
    ]),
    ['matchingStrategy=', 'invalid_search_matching_strategy'],
    ['rankingScoreThreshold=', 'invalid_search_ranking_score_threshold'],
    ['rankingScoreThreshold=nan', 'invalid_search_ranking_score_threshold'],
    ['vector=1,,x', 'invalid_search_vector'],
    ['locales=xx', 'invalid_search_locales'],
    ['hybridSemanticRatio=0.5', 'invalid_search_hybrid_query'],
    ['hybridEmbedder=e&hybridSemanticRatio=1.1', 'invalid_search_semantic_ratio'],
    ['hybrid=x', 'bad_request'],
    ['media=%7B%7D', 'bad_request'],
    ['facets%5B%5D=kind', 'bad_request'],
    ['limit=x&nope=1', 'invalid_search_limit'],
    ['nope=1&limit=x', 'bad_request'],
  ];
  for (const [text, code] of bad) t.equal(refusal(() => query(text)).code, code, text);
  t.ok(Object.keys(SEARCH_PARAMETERS).includes('hybridEmbedder'));
  const { message } = refusal(() => query('limit=ten'));
  t.match(message, /`limit`.*integer.*`ten`/);
});

t.test('facet search bodies are parsed', async (t) => {
  const facet = (body: unknown): FacetSearchRequest => parseFacetSearchBody(encoder.encode(JSON.stringify(body)));
  t.match(facet({ facetName: 'kind', colour: 1, limit: -1 }), { facetName: 'kind', facetQuery: null, matchingStrategy: 'last' });
  const bad: [unknown, string][] = [
    [{}, 'missing_facet_search_facet_name'],
    [{ facetName: null }, 'invalid_facet_search_facet_name'],
    [{ facetName: 'a', facetQuery: 5 }, 'invalid_facet_search_query'],
    [{ facetName: 'a', exhaustiveFacetCount: 'a' }, 'invalid_facet_search_exhaustive_facet_count'],
    [{ q: 5 }, 'invalid_search_q'],
    [[], 'bad_request'],
  ];
  for (const [body, code] of bad) t.equal(refusal(() => facet(body)).code, code, JSON.stringify(body));
});

t.test('keyword, semantic and hybrid searches are told apart', async (t) => {
  const none = { media: null, vector: null, hybrid: null };
  const kindOf = (given: object, q: string | null = null) => searchKind({ ...none, ...given }, Query.of(q));
  const hybrid = { embedder: 'e', semanticRatio: 0.5 };
  const cases: [{ q?: string; vector?: number[]; hybrid?: typeof hybrid }, string][] = [
    [{}, 'keyword'],
    [{ q: 'a' }, 'keyword'],
    [{ q: 'a', hybrid }, 'hybrid'],
    [{ q: ' \u00a0', hybrid }, 'keyword'],
    [{ hybrid, vector: [1] }, 'semantic'],
    [{ q: 'a', hybrid: { ...hybrid, semanticRatio: 1 } }, 'semantic'],
    [{ q: 'a', vector: [1], hybrid: { ...hybrid, semanticRatio: 0 } }, 'keyword'],
  ];
  for (const [given, kind] of cases) t.equal(kindOf(given, given.q), kind, JSON.stringify(given));
  t.equal(refusal(() => kindOf({ vector: [1] })).code, 'missing_search_hybrid');
  t.equal(refusal(() => kindOf({ media: {} })).code, 'missing_search_hybrid');
  t.equal(refusal(() => kindOf({ media: {}, vector: [1] })).code, 'invalid_search_media_and_vector');
});
