import t from 'tap';
import { beginAnswer, endAnswer, pageOf, type SearchAnswer } from '../format/answer.js';
import { ByteWriter } from '../format/byte-writer.js';
import { parseSearchBody } from '../query/request.js';

const encoder = new TextEncoder();
function answered(hits: string, answer: SearchAnswer): unknown {
  const out = new ByteWriter();
  beginAnswer(out);
  out.text(hits);
  endAnswer(out, answer);
  return JSON.parse(new TextDecoder().decode(out.view()));
}

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
    const { from, to } = pageOf(sent, 1000);
    t.equal([1, 2, 3, 4, 5].slice(from, to).length, shown, JSON.stringify(body));
    const answer = {
      request: sent,
      total: 5,
      maxTotalHits: 1000,
      processingTimeMs: 1.6,
      requestUid: 'u',
    };
    const expected = { hits: [], query: '', processingTimeMs: 2, ...fields, requestUid: 'u' };
    t.strictSame(answered('[]', answer), expected, JSON.stringify(body));
  }
});

t.test('nothing beyond maxTotalHits', async (t) => {
  t.same(pageOf(request({ offset: 800, limit: 400 }), 1000), { from: 800, to: 1000, exhaustive: false });
  t.same(pageOf(request({ offset: 1000 }), 1000), { from: 1000, to: 1000, exhaustive: false });
  t.same(pageOf(request({ hitsPerPage: 4, page: 2 }), 6), { from: 4, to: 6, exhaustive: true });
  const sent = request({ q: 'a "b"', hitsPerPage: 4, facets: ['x'] });
  const answer = answered('[{"t":"é"}]', {
    request: sent,
    total: 25,
    maxTotalHits: 6,
    processingTimeMs: 0,
    facets: { distribution: '{"x":{"a":25}}', stats: '{}' },
    metadata: { queryUid: 'q', indexUid: 'i', primaryKey: null },
    performanceDetails: { search: '1.00ms' },
    requestUid: 'u',
  });
  t.strictSame(answer, {
    hits: [{ t: 'é' }],
    query: 'a "b"',
    processingTimeMs: 0,
    hitsPerPage: 4,
    page: 1,
    totalPages: 2,
    totalHits: 6,
    facetDistribution: { x: { a: 25 } },
    facetStats: {},
    requestUid: 'u',
    metadata: { query: 'a "b"', queryUid: 'q', indexUid: 'i' },
    performanceDetails: { search: '1.00ms' },
  });
});
