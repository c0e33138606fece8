import t from 'tap';
import { parseCursorSearch } from '../../../bindings/query/cursor-request.js';
import { Cursors } from '../../search/cursors.js';
import { startServer } from '../server.js';
import { TestDatabase } from '../support/test-database.js';
import { until } from '../support/until.js';

// biome-ignore lint/suspicious/noExplicitAny: tests read answers of every shape
type Json = any;

t.test('a cursor search reads all hits of the index as it was', async (t) => {
  const server = await startServer();
  t.teardown(server.close);
  const documents = Array.from({ length: 60 }, (_, id) => ({ id, name: `lamp ${id}`, kind: id % 7, rank: (id * 37) % 60 }));
  await server.task('PATCH', '/indexes/lamps/settings', {
    filterableAttributes: ['kind'],
    sortableAttributes: ['rank'],
    pagination: { maxTotalHits: 25 },
  });
  for (let from = 0; from < 60; from += 20)
    await server.task('POST', '/indexes/lamps/documents', documents.slice(from, from + 20));
  const ask = async (body: object): Promise<Json> => (await server.call('POST', '/indexes/lamps/search', body)).body;
  const readAll = async (body: object, between: () => Promise<unknown> = async () => {}) => {
    const pages: Json[] = [];
    for (let cursor: string | null = ''; cursor !== null; cursor = pages.at(-1).cursor) {
      pages.push(await ask({ ...body, cursor }));
      await between();
    }
    return pages;
  };
  const idsOf = (pages: Json[]) => pages.flatMap(({ hits }) => hits.map(({ id }: Json) => id));

  const sorted = documents.toSorted((a, b) => a.rank - b.rank).map(({ id }) => id);
  const changes = [
    () => server.task('DELETE', '/indexes/lamps/documents/5'),
    () => server.task('POST', '/indexes/lamps/documents', [{ id: 100, name: 'lamp 100', kind: 1, rank: -1 }]),
    () => server.task('POST', '/indexes/lamps/compact'),
  ];
  const pages = await readAll({ q: 'lamp', sort: ['rank:asc'], limit: 7, facets: ['kind'] }, async () => changes.shift()?.());
  t.same(idsOf(pages), sorted, 'every document once, in order, beyond maxTotalHits, whatever was written meanwhile');
  t.same(
    pages.map(({ estimatedTotalHits }) => estimatedTotalHits),
    pages.map(() => 60),
  );
  t.ok(pages[0].facetDistribution, 'facets are told once');
  t.notOk('facetDistribution' in pages[1]);
  t.equal(pages.at(-1).cursor, null);
  t.notOk('cursor' in (await ask({ q: 'lamp' })), 'nothing of it in other searches');
  t.notOk('cursor' in (await ask({ q: 'lamp', cursor: null })));
  t.equal((await ask({ q: 'cursor' })).query, 'cursor');

  const distinct = await readAll({ distinct: 'kind', limit: 3 });
  t.equal(new Set(distinct.flatMap(({ hits }) => hits.map(({ kind }: Json) => kind))).size, 7);
  t.equal(idsOf(distinct).length, 7, 'each value once over all pages');
  t.same(idsOf(await readAll({ filter: 'kind = 99' })), []);

  const first = await ask({ q: 'lamp', limit: 2, cursor: '' });
  const again = { q: 'lamp', limit: 2, cursor: first.cursor };
  t.same((await ask(again)).hits, (await ask(again)).hits, 'an answer that was lost can be had again');
  t.equal((await ask({ q: 'lamp', limit: 3, cursor: first.cursor })).code, 'invalid_search_cursor', 'of another search');
  t.match(await server.call('POST', '/indexes/lamps/search', { cursor: 'nothing' }), {
    status: 410,
    body: { code: 'search_cursor_expired' },
  });
  for (const body of [{ cursor: 5 }, { cursor: '', offset: 1 }, { cursor: '', page: 1 }, { cursor: '', limit: 0 }])
    t.equal((await ask(body)).code, 'invalid_search_cursor', JSON.stringify(body));
  const { code, message } = await ask({ cursor: 'x'.repeat(10_000) });
  t.equal(code, 'search_cursor_expired');
  t.ok(message.length < 400, 'a long cursor is not repeated whole');
  const missing = await server.call('POST', '/indexes/none/search', { cursor: '' });
  t.match([missing.status, missing.body.code], [404, 'index_not_found']);
  t.equal((await server.call('POST', '/indexes/a!/search', { cursor: '' })).body.code, 'invalid_index_uid');
});

t.test('a cursor over a hybrid search reads what only vectors find too, however large its pages', async (t) => {
  const server = await startServer();
  t.teardown(server.close);
  await server.task('PATCH', '/indexes/lamps/settings', {
    filterableAttributes: ['kind'],
    embedders: { m: { source: 'userProvided', dimensions: 2 } },
  });
  const documents = Array.from({ length: 12 }, (_, id) => ({
    id,
    name: id < 4 ? `lamp ${id}` : id === 11 ? 'broken lantern' : `lantern ${id}`,
    kind: id % 5,
    _vectors: { m: [id, 1] },
  }));
  await server.task('POST', '/indexes/lamps/documents', documents);
  const readAll = async (members: object): Promise<number[]> => {
    const body = { q: 'lamp -broken', vector: [1, 0], hybrid: { embedder: 'm', semanticRatio: 0.3 }, ...members };
    const ids: number[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const { body: page }: Json = await server.call('POST', '/indexes/lamps/search', { ...body, cursor });
      ids.push(...page.hits.map(({ id }: Json) => id));
      cursor = page.cursor;
    }
    return ids;
  };
  for (const limit of [1, 2, 3, 20]) {
    const ids = await readAll({ limit });
    t.same(
      ids.toSorted((a, b) => a - b),
      [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10],
      `each document once, ${limit} a page`,
    );
    const kinds = (await readAll({ limit, distinct: 'kind' })).map((id) => id % 5);
    t.same(kinds.toSorted(), [0, 1, 2, 3, 4], `each value once, ${limit} a page`);
  }
});

t.test('segments of a cursor search are kept until it ends', async (t) => {
  const database = await TestDatabase.open(t);
  await database.create('lamps', 'id');
  await database.apply('lamps', await database.add([{ id: 1 }, { id: 2 }]));
  const cursors = new Cursors(database.indexStore, { idleTimeout: 200, lifetime: 60_000, searches: 1 });
  const search = (cursor: string) => parseCursorSearch(new TextEncoder().encode(JSON.stringify({ cursor })));
  const next = { seen: 1, remaining: new Uint8Array(16) };
  const first = cursors.read('lamps', search(''), null);
  const files = database.segmentFiles;
  await database.apply('lamps', { type: 'deleteByIds', ids: ['1', '2'] });
  first.ended(next);
  t.same(database.segmentFiles, files, 'the documents are gone, their segments are not');
  const second = cursors.read('lamps', search(first.page.token), null);
  t.same([second.page.seen, second.page.view], [1, first.page.view]);
  t.throws(() => cursors.read('lamps', search(first.page.token), 'a filter'), { code: 'invalid_search_cursor' });
  await new Promise((resolve) => setTimeout(resolve, 300));
  t.same(database.segmentFiles, files, 'a page that is being read keeps them, however long it takes');
  second.ended(null);
  await until('the segments are removed', () => database.segmentFiles.length === 0);
  t.throws(() => cursors.read('lamps', search(first.page.token), null), { code: 'search_cursor_expired' });

  await database.apply('lamps', await database.add([{ id: 1 }]));
  const deleted = cursors.read('lamps', search(''), null);
  await database.commit(database.indexStore.deleteIndex('lamps'));
  deleted.ended(next);
  t.throws(() => cursors.read('lamps', search(deleted.page.token), null), { code: 'index_not_found' }, 'gone with its index');
  await until('its segments are removed', () => database.segmentFiles.length === 0);
  await database.create('lamps', 'id');
  t.throws(
    () => cursors.read('lamps', search(deleted.page.token), null),
    { code: 'search_cursor_expired' },
    'another of that name',
  );
  const [older, newer] = [cursors.read('lamps', search(''), null), cursors.read('lamps', search(''), null)];
  older.ended(next);
  newer.ended(next);
  t.throws(() => cursors.read('lamps', search(older.page.token), null), { code: 'search_cursor_expired' }, 'there are too many');
  cursors.read('lamps', search(newer.page.token), null).ended(null);
});
