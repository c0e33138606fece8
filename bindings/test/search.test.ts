import t from 'tap';
import { EngineBench } from '../../test/differential/engine-index.js';
import { completeSettings, type SentSettings } from '../../test/oracle/settings.js';
import { ApiError } from '../errors.js';

const bench = new EngineBench();

type Body = Record<string, unknown>;

/** An index of documents in one segment and in many: answers must be equal. `deleted`: places of documents that are deleted. */
function searcher(settings: SentSettings, documents: object[], deleted: readonly number[] = []): (body: Body) => Body {
  const keyed = documents.map((document, internalId) => ({ internalId, json: JSON.stringify(document) }));
  const [one, many] = [1, 3].map((segments) =>
    bench.index(completeSettings(settings), keyed, { segments, memories: Math.min(2, segments) }, new Set(deleted)),
  ) as [ReturnType<EngineBench['index']>, ReturnType<EngineBench['index']>];
  return (body) => {
    const answers = [one, many].map((index) => {
      try {
        const answer = JSON.parse(new TextDecoder().decode(index.search(new TextEncoder().encode(JSON.stringify(body)))));
        return { ...answer, requestUid: null, processingTimeMs: 0 };
      } catch (error) {
        if (error instanceof ApiError) return { code: error.code };
        throw error;
      }
    });
    t.same(answers[0], answers[1], `one segment and many: ${JSON.stringify(body)}`);
    return answers[0];
  };
}

const ids = (answer: Body) => (answer.hits as { id: number }[]).map(({ id }) => id);

const BOXES = ['a', 'a', 'b', 'b', 'c'].map((group, place) => ({ id: place + 1, group, text: 'box', rank: 5 - place }));
const BOX_SETTINGS: SentSettings = { filterableAttributes: ['group'], sortableAttributes: ['rank'] };

t.test('with distinct only evaluated documents affect the count', (t) => {
  const search = searcher(BOX_SETTINGS, BOXES);
  const cases: [body: Body, shown: number[], count: number][] = [
    [{ limit: 1 }, [1], 4],
    [{ limit: 2 }, [1, 3], 3],
    [{}, [1, 3, 5], 3],
    [{ offset: 1, limit: 1 }, [3], 3],
    [{ q: 'box', limit: 1 }, [1], 3],
    [{ sort: ['rank:asc'], limit: 1 }, [5], 5],
    // nothing is evaluated when no hits are requested, at any offset
    [{ limit: 0 }, [], 5],
    [{ limit: 0, offset: 3 }, [], 5],
    [{ q: 'box', limit: 0 }, [], 5],
    [{ q: 'box', limit: 0, offset: 3 }, [], 5],
    [{ q: 'box', limit: 0, offset: 3, sort: ['rank:asc'] }, [], 5],
    // pages count exactly
    [{ page: 1 }, [1, 3, 5], 3],
    [{ page: 0 }, [], 3],
    [{ hitsPerPage: 0 }, [], 3],
    [{ hitsPerPage: 2, page: 2, offset: 1, limit: 0 }, [5], 3],
    [{ hitsPerPage: 1, sort: ['rank:asc'] }, [5], 3],
  ];
  for (const [body, shown, count] of cases) {
    const answer = search({ distinct: 'group', ...body });
    const total = answer.estimatedTotalHits ?? answer.totalHits;
    t.same([ids(answer), total], [shown, count], JSON.stringify(body));
  }
  t.end();
});

t.test('facets describe the documents that are counted, not the page, and are not capped', (t) => {
  const search = searcher({ ...BOX_SETTINGS, pagination: { maxTotalHits: 3 } }, BOXES);
  const counts = (body: Body) => (search({ facets: ['group'], ...body }).facetDistribution as Body).group;
  t.same(counts({ distinct: 'group', limit: 0 }), { a: 2, b: 2, c: 1 });
  t.same(counts({ distinct: 'group', limit: 1 }), { a: 1, b: 2, c: 1 });
  t.same(counts({ distinct: 'group', hitsPerPage: 1 }), { a: 1, b: 1, c: 1 });
  t.same(counts({}), { a: 2, b: 2, c: 1 });
  t.equal(search({}).estimatedTotalHits, 3);
  t.same(ids(search({ offset: 2, limit: 5 })), [3]);
  t.same(ids(search({ offset: 3, limit: 5 })), []);
  // no hits can be shown from there on: nothing is evaluated
  t.same(counts({ distinct: 'group', offset: 3 }), { a: 2, b: 2, c: 1 });
  t.end();
});

const LISTS = ['red apple pie', 'red apple', 'apple tart', 'apple', 'pie'].map((text, id) => ({ id, text, group: text[0] }));

t.test('documents below the threshold are no hits, and are counted as far as they were not evaluated', (t) => {
  const search = searcher({ filterableAttributes: ['group'], rankingRules: ['words'] }, LISTS);
  const scored = search({ q: 'red apple pie', showRankingScore: true }).hits as { id: number; _rankingScore: number }[];
  t.same(
    scored.map(({ id, _rankingScore }) => [id, Math.round(_rankingScore * 100)]),
    [
      [0, 100],
      [1, 67],
    ],
    'a query loses its last words, not its first',
  );
  const shown = (body: Body) => {
    const answer = search({ q: 'red apple pie', facets: ['group'], ...body });
    return [ids(answer), answer.estimatedTotalHits ?? answer.totalHits, answer.facetDistribution];
  };
  t.same(shown({ rankingScoreThreshold: 1 }), [[0], 1, { group: { r: 1 } }]);
  t.same(shown({ rankingScoreThreshold: 2 / 3 }), [[0, 1], 2, { group: { r: 2 } }], 'equal is kept');
  t.same(shown({ rankingScoreThreshold: 0.9, limit: 1 }), [[0], 2, { group: { r: 2 } }], 'the second was not looked at');
  t.same(shown({ rankingScoreThreshold: 0.9, hitsPerPage: 1 }), [[0], 1, { group: { r: 1 } }], 'pages count exactly');
  t.same(shown({ rankingScoreThreshold: 0.9, hitsPerPage: 0 }), [[], 1, { group: { r: 1 } }]);
  t.same(shown({ rankingScoreThreshold: 0.9, limit: 0 }), [[], 2, { group: { r: 2 } }]);
  const placeholder = search({ rankingScoreThreshold: 1 });
  t.equal(placeholder.estimatedTotalHits, 5, 'documents of a placeholder search score 1');
  t.end();
});

t.test('without time to rank: internal order, score 0, the threshold applies', (t) => {
  const settings: SentSettings = { filterableAttributes: ['group'], sortableAttributes: ['id'], searchCutoffMs: 0 };
  const search = searcher(settings, LISTS);
  const details = { showRankingScore: true, showRankingScoreDetails: true, attributesToRetrieve: ['id'] };
  const skipped = { _rankingScore: 0, _rankingScoreDetails: { skipped: { order: 0 } } };
  t.same(search({ q: 'apple', ...details, limit: 2 }).hits, [
    { id: 0, ...skipped },
    { id: 1, ...skipped },
  ]);
  t.equal(search({ q: 'apple' }).estimatedTotalHits, 4);
  t.same(search({ q: 'apple', filter: 'group = a', ...details }).hits, [
    { id: 2, ...skipped },
    { id: 3, ...skipped },
  ]);
  t.same(search({ q: 'apple', rankingScoreThreshold: 0.1 }).hits, []);
  t.equal(search({ q: 'apple', rankingScoreThreshold: 0.1 }).estimatedTotalHits, 0);
  t.equal(search({ q: 'apple', rankingScoreThreshold: 0 }).estimatedTotalHits, 4);
  t.same(search({ ...details, sort: ['id:desc'], limit: 1 }).hits, [{ id: 0, ...skipped }]);
  t.same(search({ ...details, limit: 1 }).hits, [{ id: 0, _rankingScore: 1, _rankingScoreDetails: {} }], 'nothing to skip');
  t.end();
});

t.test('results cached by a search in all attributes are not used for one in some', (t) => {
  const documents = Array.from({ length: 300 }, (_, id) => ({ id, title: 'red fox', body: id < 299 ? 'a red fox' : 'red fox' }));
  const search = searcher({ searchableAttributes: ['title', 'body'], rankingRules: ['exactness'] }, documents);
  const best = (body: Body) => ids(search({ q: '"red fox"', limit: 1, ...body }));
  for (let times = 0; times < 3; times++) t.same(best({}), [0]);
  t.same(best({ attributesToSearchOn: ['body'] }), [299]);
  t.end();
});

t.test('the word that is nearest to the typed one is highlighted, in one segment as in many', (t) => {
  const documents = ['bluer', 'blue', 'blues'].map((text, id) => ({ id, text }));
  const search = searcher({ typoTolerance: { minWordSizeForTypos: { oneTypo: 3, twoTypos: 5 } } }, documents);
  const { hits } = search({ q: 'bluxr', attributesToRetrieve: [], attributesToHighlight: ['text'] });
  const expected = ['<em>bluer</em>', '<em>blue</em>', '<em>blue</em>s'].map((text) => ({ _formatted: { text } }));
  t.same(hits, expected);
  t.end();
});

t.test('a word of which only deleted documents have a completion is not highlighted', (t) => {
  const documents = ['red of sun', 'orange', 'blue'].map((text, id) => ({ id, text }));
  const request = { q: 'red o', attributesToRetrieve: [], attributesToHighlight: ['text'] };
  const cases: [deleted: number[], text: string][] = [
    [[], '<em>red</em> <em>o</em>f sun'],
    [[1], '<em>red</em> of sun'],
  ];
  for (const [deleted, text] of cases) {
    const search = searcher({ stopWords: ['of'] }, documents, deleted);
    t.same(search(request).hits, [{ _formatted: { text } }], `deleted: ${deleted}`);
  }
  t.end();
});

t.test('scores and statistics are floats in the answer, whole ones too; numbers of documents stay as they came', (t) => {
  const json = '{"id":1,"text":"red fox","price":50,"weight":2.50,"_geo":{"lat":0,"lng":1}}';
  const index = bench.index(
    completeSettings({ filterableAttributes: ['price', 'weight'], sortableAttributes: ['price', '_geo'] }),
    [{ internalId: 0, json }],
    { segments: 1, memories: 1 },
  );
  const body = {
    q: 'red fox',
    facets: ['price', 'weight'],
    sort: ['price:asc', '_geoPoint(0, 0):asc'],
    showRankingScore: true,
    showRankingScoreDetails: true,
  };
  const text = new TextDecoder().decode(index.search(new TextEncoder().encode(JSON.stringify(body))));
  for (const part of [
    '"price":50,"weight":2.50,',
    '"_rankingScore":1.0,',
    '"words":{"order":0,"matchingWords":2,"maxMatchingWords":2,"score":1.0}',
    '"proximity":{"order":2,"score":1.0}',
    '"price:asc":{"order":4,"score":1.0,',
    '"distance":111194.927}',
    '"facetStats":{"price":{"min":50.0,"max":50.0},"weight":{"min":2.5,"max":2.5}}',
  ]) {
    t.ok(text.includes(part), `${part} in ${text}`);
  }
  const none = new TextDecoder().decode(index.search(new TextEncoder().encode('{"showRankingScore":true}')));
  t.match(none, /"_rankingScore":1\.0\}/);
  t.end();
});

t.test('many and long documents are returned as stored', (t) => {
  const documents = Array.from({ length: 300 }, (_, id) => ({
    id,
    text: `box ${'x '.repeat(id % 40 === 7 ? 60_000 + id * 100 : id)}`,
  }));
  const search = searcher({ pagination: { maxTotalHits: 1000 } }, documents);
  t.ok(JSON.stringify(search({ limit: 300 }).hits) === JSON.stringify(documents));
  const formatted = search({ q: 'box', limit: 300, attributesToHighlight: ['text'], attributesToRetrieve: ['id'] }).hits;
  const expected = documents.map(({ id, text }) => ({
    id,
    _formatted: { id: `${id}`, text: text.replace('box', '<em>box</em>') },
  }));
  const byId = (hits: unknown) => (hits as { id: number }[]).toSorted((a, b) => a.id - b.id);
  t.ok(JSON.stringify(byId(formatted)) === JSON.stringify(expected));
  t.end();
});
