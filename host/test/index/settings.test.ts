import t from 'tap';
import { applySettings } from '../../index/settings/patch.js';
import { DEFAULT_SETTINGS, SETTINGS } from '../../index/settings/settings.js';
import { startServer, type TestServer } from '../server.js';

let server: TestServer;
t.before(async () => {
  server = await startServer();
});
t.teardown(() => server.close());

t.test('the defaults, in their documented order', async (t) => {
  await server.task('POST', '/indexes', { uid: 'defaults' });
  const { body } = await server.call('GET', '/indexes/defaults/settings');
  t.same(body, {
    displayedAttributes: ['*'],
    searchableAttributes: ['*'],
    filterableAttributes: [],
    sortableAttributes: [],
    rankingRules: ['words', 'typo', 'proximity', 'attributeRank', 'sort', 'wordPosition', 'exactness'],
    stopWords: [],
    nonSeparatorTokens: [],
    separatorTokens: [],
    dictionary: [],
    synonyms: {},
    distinctAttribute: null,
    proximityPrecision: 'byWord',
    typoTolerance: {
      enabled: true,
      minWordSizeForTypos: { oneTypo: 5, twoTypos: 9 },
      disableOnWords: [],
      disableOnAttributes: [],
      disableOnNumbers: false,
    },
    faceting: { maxValuesPerFacet: 100, sortFacetValuesBy: { '*': 'alpha' } },
    pagination: { maxTotalHits: 1000 },
    embedders: {},
    searchCutoffMs: null,
    localizedAttributes: null,
    facetSearch: true,
    prefixSearch: 'indexingTime',
  });
  const order = Object.keys(SETTINGS).filter((name) => !['foreignKeys', 'chat'].includes(name));
  t.same(Object.keys(body), order);
});

/** The value sent, the value in the details of the task, and the value read afterwards. */
const VALUES: [route: string, verb: string, sent: unknown, details: unknown, shown: unknown][] = [
  ['displayed-attributes', 'PUT', ['b', 'a', 'b'], ['b', 'a', 'b'], ['b', 'a']],
  ['searchable-attributes', 'PUT', ['a', '*'], ['a', '*'], ['*']],
  [
    'filterable-attributes',
    'PUT',
    ['a', { attributePatterns: ['b.*'], features: { filter: { comparison: true } } }],
    ['a', { attributePatterns: ['b.*'], features: { facetSearch: false, filter: { equality: true, comparison: true } } }],
    ['a', { attributePatterns: ['b.*'], features: { facetSearch: false, filter: { equality: true, comparison: true } } }],
  ],
  ['sortable-attributes', 'PUT', ['b', 'a', 'b'], ['a', 'b'], ['a', 'b']],
  ['ranking-rules', 'PUT', ['sort', 'a:b:desc', 'sort'], ['sort', 'a:b:desc', 'sort'], ['sort', 'a:b:desc', 'sort']],
  ['stop-words', 'PUT', ['The', 'É', 'the', 'ﬁ'], ['The', 'the', 'É', 'ﬁ'], ['E\u0301', 'The', 'fi', 'the']],
  ['separator-tokens', 'PUT', ['|', '&'], ['&', '|'], ['&', '|']],
  ['non-separator-tokens', 'PUT', ['#', '#'], ['#'], ['#']],
  ['dictionary', 'PUT', ['J. R.'], ['J. R.'], ['J. R.']],
  ['synonyms', 'PUT', { b: ['y', 'x'], a: [] }, { a: [], b: ['y', 'x'] }, { a: [], b: ['y', 'x'] }],
  ['distinct-attribute', 'PUT', 'sku', 'sku', 'sku'],
  ['proximity-precision', 'PUT', 'byAttribute', 'byAttribute', 'byAttribute'],
  [
    'typo-tolerance',
    'PATCH',
    { disableOnWords: ['Ünder', 'a'], minWordSizeForTypos: { oneTypo: 4 } },
    { disableOnWords: ['a', 'Ünder'], minWordSizeForTypos: { oneTypo: 4 } },
    {
      enabled: true,
      minWordSizeForTypos: { oneTypo: 4, twoTypos: 9 },
      disableOnWords: ['a', 'under'],
      disableOnAttributes: [],
      disableOnNumbers: false,
    },
  ],
  [
    'faceting',
    'PATCH',
    { sortFacetValuesBy: { year: 'count' } },
    { sortFacetValuesBy: { year: 'count' } },
    { maxValuesPerFacet: 100, sortFacetValuesBy: { '*': 'alpha', year: 'count' } },
  ],
  ['pagination', 'PATCH', { maxTotalHits: 5 }, { maxTotalHits: 5 }, { maxTotalHits: 5 }],
  ['search-cutoff-ms', 'PUT', 0, 0, 0],
  [
    'localized-attributes',
    'PUT',
    [{ attributePatterns: ['*_fr'], locales: ['fr', 'eng'] }],
    [{ attributePatterns: ['*_fr'], locales: ['fr', 'eng'] }],
    [{ attributePatterns: ['*_fr'], locales: ['fra', 'eng'] }],
  ],
  ['facet-search', 'PUT', false, false, false],
  ['prefix-search', 'PUT', 'disabled', 'disabled', 'disabled'],
];

t.test('every setting is written, shown and reset by its own route', async (t) => {
  const initial = (await server.call('GET', '/indexes/defaults/settings')).body;
  for (const [route, verb, sent, details, shown] of VALUES) {
    const name = Object.keys(SETTINGS).find((key) => SETTINGS[key]!.route === route)!;
    const url = `/indexes/each/settings/${route}`;
    const body = JSON.stringify(sent);
    t.match(await server.task(verb, url, body), { type: 'settingsUpdate', status: 'succeeded' }, route);
    const { taskUid } = (await server.call(verb, url, body)).body;
    t.same((await server.finished(taskUid)).details, { [name]: details }, `${route}: details`);
    t.same((await server.call('GET', url)).body, shown, `${route}: shown`);
    t.same((await server.call('GET', '/indexes/each/settings')).body[name], shown);
    t.same((await server.task('DELETE', url)).details, { [name]: SETTINGS[name]!.resetAs });
    t.same((await server.call('GET', url)).body, initial[name], `${route}: reset`);
    t.equal((await server.call(verb === 'PUT' ? 'PATCH' : 'PUT', url, body)).status, 405);
  }
});

t.test('disableOnWords is stored in normalised form', async (t) => {
  const url = '/indexes/words/settings/typo-tolerance';
  const sent = ['Éclair', 'two  Words', 'STRASSE', 'Straße', 'Œuvre', 'l’été', 'c#Sharp', 'ÉCLAIR', 'كِتَاب'];
  const { details } = await server.task('PATCH', url, { disableOnWords: sent });
  t.same(
    details.typoTolerance.disableOnWords,
    sent.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b))),
  );
  const { disableOnWords: shown } = (await server.call('GET', url)).body;
  t.same(shown, ['c#sharp', 'eclair', "l'ete", 'oeuvre', 'strasse', 'straße', 'two  words', 'كتاب']);
  await server.task('PATCH', url, { disableOnWords: shown });
  t.same((await server.call('GET', url)).body.disableOnWords, shown, 'what is shown can be sent');
});

t.test('changes are merged into stored settings', async (t) => {
  const url = '/indexes/merge/settings';
  await server.task('PATCH', url, { typoTolerance: { minWordSizeForTypos: { oneTypo: 4 }, disableOnWords: ['B', 'a'] } });
  const second = await server.task('PATCH', `${url}/typo-tolerance`, {
    minWordSizeForTypos: { twoTypos: 10 },
    disableOnWords: null,
  });
  t.same(second.details, { typoTolerance: { minWordSizeForTypos: { twoTypos: 10 }, disableOnWords: null } });
  const third = await server.task('PATCH', `${url}/typo-tolerance`, { minWordSizeForTypos: { oneTypo: 11 } });
  t.match(third, { status: 'failed', error: { code: 'invalid_settings_typo_tolerance' } });
  t.same((await server.call('GET', `${url}/typo-tolerance`)).body, {
    enabled: true,
    minWordSizeForTypos: { oneTypo: 4, twoTypos: 10 },
    disableOnWords: [],
    disableOnAttributes: [],
    disableOnNumbers: false,
  });
  await server.task('PATCH', url, { faceting: { maxValuesPerFacet: 7, sortFacetValuesBy: { '*': 'count', a: 'alpha' } } });
  await server.task('PATCH', url, { faceting: { sortFacetValuesBy: { b: 'count' } } });
  t.same((await server.call('GET', `${url}/faceting`)).body, {
    maxValuesPerFacet: 7,
    sortFacetValuesBy: { '*': 'alpha', b: 'count' },
  });
  const reset = await server.task('DELETE', url);
  t.same(Object.keys(reset.details), Object.keys(SETTINGS));
  t.same(reset.details.searchableAttributes, ['*']);
  t.equal(reset.details.typoTolerance, null);
  t.same(applySettings(DEFAULT_SETTINGS, {}, 'x'), DEFAULT_SETTINGS);
});

t.test('invalid settings are refused before a task exists', async (t) => {
  const before = (await server.call('GET', '/tasks?limit=1')).body.results[0].uid;
  const faults: [unknown, string][] = [
    [{ stopWords: 1, nope: 2 }, 'invalid_settings_stop_words'],
    [{ nope: 2, stopWords: 1 }, 'bad_request'],
    [[], 'bad_request'],
    [null, 'bad_request'],
    [{ rankingRules: ['price:up'] }, 'invalid_settings_ranking_rules'],
    [{ rankingRules: ['_geoPoint(1,2):asc'] }, 'invalid_settings_ranking_rules'],
    [{ rankingRules: ['attribute', 'wordPosition'] }, 'invalid_settings_ranking_rules'],
    [{ filterableAttributes: [{ attributePatterns: ['a'], features: null }] }, 'invalid_settings_filterable_attributes'],
    [{ filterableAttributes: [{}] }, 'invalid_settings_filterable_attributes'],
    [{ synonyms: { a: null } }, 'invalid_settings_synonyms'],
    [{ typoTolerance: { minWordSizeForTypos: { oneTypo: 9, twoTypos: 2 } } }, 'invalid_settings_typo_tolerance'],
    [{ typoTolerance: { minWordSizeForTypos: { oneTypo: 256 } } }, 'invalid_settings_typo_tolerance'],
    [{ faceting: { sortFacetValuesBy: { a: null } } }, 'invalid_settings_faceting'],
    [{ pagination: { maxTotalHits: 0 } }, 'invalid_settings_pagination'],
    [{ searchCutoffMs: -1 }, 'invalid_settings_search_cutoff_ms'],
    [{ searchCutoffMs: 1.5 }, 'invalid_settings_search_cutoff_ms'],
    [{ localizedAttributes: [{ attributePatterns: ['a'], locales: ['xx'] }] }, 'invalid_settings_localized_attributes'],
    [{ prefixSearch: 'sometimes' }, 'invalid_settings_prefix_search'],
    [{ foreignKeys: [] }, 'feature_not_enabled'],
    [{ foreignKeys: [{}] }, 'invalid_settings_foreign_keys'],
    [{ chat: {} }, 'feature_not_enabled'],
    [{ chat: [] }, 'invalid_settings_index_chat'],
  ];
  for (const [body, code] of faults) {
    const answer = await server.call('PATCH', '/indexes/faults/settings', JSON.stringify(body));
    t.match(answer, { status: 400, body: { code } }, JSON.stringify(body));
  }
  t.equal((await server.call('GET', '/tasks?limit=1')).body.results[0].uid, before);
  t.match((await server.call('PATCH', '/indexes/b@d/settings', {})).body, { code: 'invalid_index_uid' });
  t.match(await server.task('DELETE', '/indexes/faults/settings/synonyms'), {
    status: 'failed',
    error: { code: 'index_not_found' },
  });
});
