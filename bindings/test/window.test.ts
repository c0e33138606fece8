import t from 'tap';
import { EngineBench } from '../../test/differential/engine-index.js';
import { completeSettings } from '../../test/oracle/settings.js';
import { parseSearchBody } from '../query/request.js';
import { countedPage, windowOf } from '../search/window.js';

const encoder = new TextEncoder();
const request = (body: object) => parseSearchBody(encoder.encode(JSON.stringify(body)));

t.test('pages and counts of five documents', async (t) => {
  const cases: [body: object, shown: number, fields: object][] = [
    [{}, 5, { limit: 20, offset: 0, estimatedTotalHits: 5 }],
    [{ page: 1 }, 5, { hitsPerPage: 20, page: 1, totalPages: 1, totalHits: 5 }],
    [{ page: 0 }, 0, { hitsPerPage: 20, page: 0, totalPages: 1, totalHits: 5 }],
    [{ hitsPerPage: 1 }, 1, { hitsPerPage: 1, page: 1, totalPages: 5, totalHits: 5 }],
    [{ hitsPerPage: 0 }, 0, { hitsPerPage: 0, page: 1, totalPages: 0, totalHits: 5 }],
    [{ hitsPerPage: 2, page: 3, limit: 1, offset: 9 }, 1, { hitsPerPage: 2, page: 3, totalPages: 3, totalHits: 5 }],
    [{ hitsPerPage: 2, page: 9 }, 0, { hitsPerPage: 2, page: 9, totalPages: 3, totalHits: 5 }],
    [{ offset: 4 }, 1, { limit: 20, offset: 4, estimatedTotalHits: 5 }],
    [{ offset: 7, limit: 0 }, 0, { limit: 0, offset: 7, estimatedTotalHits: 5 }],
  ];
  for (const [body, shown, fields] of cases) {
    const sent = request(body);
    const { from, to } = windowOf(sent, 1000);
    t.equal([1, 2, 3, 4, 5].slice(from, to).length, shown, JSON.stringify(body));
    t.strictSame(JSON.parse(`{${countedPage(sent, 5).slice(1)}}`), fields, JSON.stringify(body));
  }
});

t.test('no hits beyond maxTotalHits', async (t) => {
  t.same(windowOf(request({ offset: 800, limit: 400 }), 1000), { from: 800, to: 1000, exhaustive: false });
  t.same(windowOf(request({ offset: 1000 }), 1000), { from: 1000, to: 1000, exhaustive: false });
  t.same(windowOf(request({ hitsPerPage: 4, page: 2 }), 6), { from: 4, to: 6, exhaustive: true });
});

t.test('the members of an answer, in order: counts are capped, facets are not', async (t) => {
  const documents = Array.from({ length: 25 }, (_, internalId) => ({
    internalId,
    json: JSON.stringify({ id: internalId, t: 'é "b"' }),
  }));
  const settings = completeSettings({ filterableAttributes: ['t'], pagination: { maxTotalHits: 6 } });
  const index = new EngineBench().index(settings, documents, { segments: 2, memories: 1 });
  const body = { q: 'é "b"', hitsPerPage: 4, facets: ['t'], attributesToRetrieve: ['t'], showPerformanceDetails: true };
  const answer = JSON.parse(new TextDecoder().decode(index.search(encoder.encode(JSON.stringify(body)))));
  t.match(answer.requestUid, /^[0-9a-f-]{36}$/);
  t.ok(Number.isInteger(answer.processingTimeMs));
  for (const stage of ['search', 'search > keyword ranking', 'search > facet distribution', 'search > format']) {
    t.match(answer.performanceDetails[stage], /^\d+\.\d\d(s|ms|µs|ns)$/, stage);
  }
  t.strictSame(
    { ...answer, requestUid: '', processingTimeMs: 0, performanceDetails: {} },
    {
      hits: Array.from({ length: 4 }, () => ({ t: 'é "b"' })),
      query: 'é "b"',
      processingTimeMs: 0,
      hitsPerPage: 4,
      page: 1,
      totalPages: 2,
      totalHits: 6,
      facetDistribution: { t: { 'é "b"': 25 } },
      facetStats: {},
      requestUid: '',
      performanceDetails: {},
    },
  );
});
