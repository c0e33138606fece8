import t from 'tap';
import { startServer, type TestServer } from '../server.js';

const TOYS = [
  { id: 1, name: 'Wooden train', kind: 'Rail', price: 30, tags: ['wood', 'red'], box: { size: 3 } },
  { id: 2, name: 'Train station', kind: 'rail', price: 'n/a', tags: ['wood'], box: { size: 9 } },
  { id: 3, name: 'Kite', kind: 'Air', price: 12.5, tags: [], box: { size: 'L' } },
  { id: 4, name: 'Paper plane', kind: 'air ', price: null, tags: ['paper', 'red'] },
  { id: 5, name: 'Puzzle', price: 12.5, box: { size: 3 } },
];
const SETTINGS = {
  filterableAttributes: ['kind', 'price', 'box.size', 'tags'],
  sortableAttributes: ['price', 'box'],
  searchableAttributes: ['name', 'tags'],
};

async function toys(...flags: string[]): Promise<TestServer> {
  const server = await startServer(...flags);
  await server.task('PATCH', '/indexes/toys/settings', SETTINGS);
  await server.task('POST', '/indexes/toys/documents?primaryKey=id', TOYS);
  return server;
}

t.test('searches over HTTP: parameters, errors, metadata and timings', async (t) => {
  const server = await toys();
  t.teardown(() => server.close());
  // biome-ignore lint/suspicious/noExplicitAny: answers of every shape
  const plain = ({ requestUid, processingTimeMs, ...rest }: any) => rest;

  t.test('query strings and bodies give the same answers', async (t) => {
    const pairs: [query: string, body: object][] = [
      ['', {}],
      ['q=train&attributesToRetrieve=id,name&limit=2', { q: 'train', attributesToRetrieve: ['id', 'name'], limit: 2 }],
      ['facets=kind,tags&sort=price:asc', { facets: ['kind', 'tags'], sort: ['price:asc'] }],
      ['sort=%22price:desc%20,%20box.size:asc%22', { sort: ['price:desc', 'box.size:asc'] }],
      ['filter=kind%20=%20rail%20AND%20price%20%3E%201&hitsPerPage=1&page=2', filtered('kind = rail AND price > 1', 1, 2)],
      [
        'filter=%5B%22kind%20=%20rail%22,%5B%22price=30%22,%22price=31%22%5D%5D',
        { filter: ['kind = rail', ['price=30', 'price=31']] },
      ],
      ['filter=%20', {}],
      ['attributesToRetrieve=', { attributesToRetrieve: [] }],
      ['attributesToRetrieve=,id,', { attributesToRetrieve: ['id'] }],
      ['attributesToRetrieve=id,%20name', { attributesToRetrieve: ['id', ' name'] }],
      ['facets=', { facets: [] }],
      ['limit=1&limit=3', { limit: 3 }],
      [
        'q=train&attributesToHighlight=*&highlightPreTag=&highlightPostTag=!',
        highlighted({ highlightPreTag: '', highlightPostTag: '!' }),
      ],
      [
        'q=train&attributesToHighlight=*&attributesToCrop=name:1&cropMarker=',
        highlighted({ attributesToCrop: ['name:1'], cropMarker: '' }),
      ],
      [
        'q=train&attributesToSearchOn=n*&matchingStrategy=all',
        { q: 'train', attributesToSearchOn: ['n*'], matchingStrategy: 'all' },
      ],
      [
        'showRankingScore=true&rankingScoreThreshold=0.5&locales=en,fr',
        { showRankingScore: true, rankingScoreThreshold: 0.5, locales: ['en', 'fr'] },
      ],
      ['distinct=kind&q=', { distinct: 'kind', q: '' }],
    ];
    for (const [query, body] of pairs) {
      const got = await server.call('GET', `/indexes/toys/search?${query}`);
      const posted = await server.call('POST', '/indexes/toys/search', body);
      t.same([got.status, posted.status], [200, 200], query);
      t.same(plain(got.body), plain(posted.body), query);
    }
  });

  t.test('the first failing check is reported', async (t) => {
    const cases: [uid: string, body: object, code: string][] = [
      ['no%20such', { limit: -1 }, 'invalid_search_limit'],
      ['no%20such', { filter: 'a =' }, 'invalid_index_uid'],
      ['missing', { filter: 'a =' }, 'invalid_search_filter'],
      ['missing', { filter: 'a = b', sort: ['x'] }, 'index_not_found'],
      ['missing', { useNetwork: false }, 'feature_not_enabled'],
      ['toys', { media: {}, sort: ['x'] }, 'missing_search_hybrid'],
      ['toys', { vector: [1], media: {} }, 'invalid_search_media_and_vector'],
      ['toys', { sort: ['x'], attributesToSearchOn: ['x'] }, 'invalid_search_sort'],
      ['toys', { attributesToSearchOn: ['x'], distinct: 'x' }, 'invalid_search_attributes_to_search_on'],
      ['toys', { attributesToSearchOn: ['*', 'x'] }, 'invalid_search_attributes_to_search_on'],
      ['toys', { distinct: 'name', filter: 'name = x' }, 'invalid_search_distinct'],
      ['toys', { filter: 'name = x', sort: ['name:asc'] }, 'invalid_search_filter'],
      ['toys', { sort: ['name:asc'] }, 'invalid_search_sort'],
      ['toys', { q: 'a', hybrid: { embedder: 'x' } }, 'invalid_search_embedder'],
      ['toys', { personalize: { userContext: 'x' } }, 'feature_not_enabled'],
    ];
    for (const [uid, body, code] of cases) {
      const { status, body: answer } = await server.call('POST', `/indexes/${uid}/search`, body);
      t.same([status, answer.code], [code === 'index_not_found' ? 404 : 400, code], `${uid} ${JSON.stringify(body)}`);
    }
    const facets = await server.call('POST', '/indexes/missing/facet-search', { facetName: 'kind', filter: 'a =' });
    t.equal(facets.body.code, 'index_not_found', 'facet search looks the index up first');
  });

  t.test('metadata on demand, by either header', async (t) => {
    const ask = async (headers: Record<string, string>, body: object) =>
      (await server.call('POST', '/indexes/toys/search', body, headers)).body.metadata;
    for (const header of ['Service-Include-Metadata', 'Meili-Include-Metadata']) {
      for (const on of ['true', 'TRUE', '1']) {
        const { queryUid, ...rest } = await ask({ [header]: on }, { q: 'kite' });
        t.match(queryUid, /^[0-9a-f-]{36}$/);
        t.same(rest, { indexUid: 'toys', primaryKey: 'id', query: 'kite' }, `${header}: ${on}`);
      }
      for (const off of ['', '0', 'yes', 'false']) t.equal(await ask({ [header]: off }, {}), undefined, `${header}: ${off}`);
    }
    const header = { 'Service-Include-Metadata': 'true' };
    t.notOk('query' in (await ask(header, { q: null })), 'no query was sent');
    t.equal((await ask(header, { q: '' })).query, '');
  });

  t.test('performance details have the stages that ran', async (t) => {
    const stages = async (body: object) =>
      (await server.call('POST', '/indexes/toys/search', { ...body, showPerformanceDetails: true })).body.performanceDetails;
    const keyword = await stages({ q: 'train', facets: ['kind'] });
    const names = [
      'wait in queue',
      'search',
      'search > evaluate filter',
      'search > keyword ranking',
      'search > facet distribution',
      'search > format',
    ];
    t.same(Object.keys(keyword).sort(), names.sort());
    for (const duration of Object.values(keyword)) t.match(duration, /^\d+\.\d\d(ns|µs|ms|s)$/);
    t.ok('search > placeholder ranking' in (await stages({})));
  });
});

const filtered = (filter: string, hitsPerPage: number, page: number) => ({ filter, hitsPerPage, page });
const highlighted = (body: object) => ({ q: 'train', attributesToHighlight: ['*'], ...body });

t.test('searches beyond the queue limit get Retry-After', async (t) => {
  const server = await toys('--experimental-search-queue-size', '0', '--experimental-nb-searches-per-core', '1');
  t.teardown(() => server.close());
  const answers = await Promise.all(
    Array.from({ length: 300 }, () => server.call('POST', '/indexes/toys/search', { q: 'train', facets: ['*'] })),
  );
  const refused = answers.filter(({ status }) => status !== 200);
  t.ok(refused.length > 0, `${refused.length} refused`);
  for (const { status, body, headers } of refused.slice(0, 3)) {
    t.same([status, body.code, body.type], [503, 'too_many_search_requests', 'system']);
    t.equal(headers.get('retry-after'), '10');
    t.match(body.message, /\b0\b/, 'names the capacity');
  }
});
