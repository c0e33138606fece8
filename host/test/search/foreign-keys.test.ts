import t, { type Test } from 'tap';
import { startServer, type TestServer } from '../server.js';

const KEY = 'a master key of enough bytes';

/** Books whose authors are in a separate index. */
async function started(t: Test, ...flags: string[]): Promise<TestServer> {
  const server = await startServer(...flags);
  t.teardown(() => server.close());
  await server.call('PATCH', '/experimental-features', { foreignKeys: true });
  await server.task('PATCH', '/indexes/authors/settings', {
    displayedAttributes: ['name', 'big'],
    filterableAttributes: ['country'],
  });
  const authors = `[{"id": "a1", "name": "Ines", "country": "FR", "big": 1.0}, {"id": "a2", "name": "Tomas", "country": "PT"},
    {"id": 7, "name": "Seven", "country": "FR"}]`;
  await server.task('POST', '/indexes/authors/documents', authors);
  await server.task('PATCH', '/indexes/books/settings', {
    filterableAttributes: ['author', 'kind'],
    foreignKeys: [
      { foreignIndexUid: 'authors', fieldName: 'author' },
      { foreignIndexUid: 'authors', fieldName: 'team.members' },
    ],
  });
  const books = `[{"id": 1, "author": "a1", "price": 12.50}, {"id": 2, "author": ["a2", 7], "kind": "x"}, {"id": 3, "author": "gone"},
    {"id": 4, "author": "no key!", "team": {"members": ["a1", null, "a2"]}}]`;
  await server.task('POST', '/indexes/books/documents', books);
  return server;
}

const INES = { name: 'Ines', big: 1 };

t.test('keys are replaced by documents of another index', async (t) => {
  const server = await started(t);
  const { body } = await server.call('POST', '/indexes/books/search', {});
  t.same(body.hits, [
    { id: 1, author: INES, price: 12.5 },
    { id: 2, author: [{ name: 'Tomas' }, { name: 'Seven' }], kind: 'x' },
    { id: 3, author: {} },
    { id: 4, author: 'no key!', team: { members: [INES, null, { name: 'Tomas' }] } },
  ]);
  const raw = await (await fetch(`${server.url}/indexes/books/search?limit=1`)).text();
  t.match(raw, /"big":1\.0/, 'numbers stay as they were written');
  t.match(raw, /"price":12\.50/);
  const formatted = await server.call('POST', '/indexes/books/search', { limit: 1, attributesToHighlight: ['*'], q: 'a1' });
  t.same(formatted.body.hits[0]._formatted.author, '<em>a1</em>', 'what is highlighted is no key');
  const federated = await server.call('POST', '/multi-search', { federation: {}, queries: [{ indexUid: 'books', limit: null }] });
  t.same(federated.body.hits[0].author, INES);
  t.equal((await server.call('GET', '/indexes/books/documents/1')).body.author, 'a1', 'documents are as they are stored');
  await server.call('PATCH', '/experimental-features', { foreignKeys: false });
  t.equal((await server.call('POST', '/indexes/books/search', {})).body.hits[0].author, 'a1', 'nothing where the feature is off');
});

t.test('filters on the documents of another index', async (t) => {
  const server = await started(t);
  const search = async (filter: string) => {
    const { status, body } = await server.call('POST', '/indexes/books/search', { filter });
    return status === 200 ? body.hits.map(({ id }: { id: number }) => id) : body.code;
  };
  t.same(await search('_foreign(author, country = FR)'), [1, 2]);
  t.same(await search('NOT _foreign(author, country = FR)'), [3, 4]);
  t.same(await search('_foreign(author, country = PT) AND kind = x'), [2]);
  t.same(await search('_foreign(author, country = nowhere)'), []);
  t.equal(await search('_foreign(kind, country = FR)'), 'invalid_search_filter');
  t.equal(await search('_foreign(author, name = Ines)'), 'invalid_document_filter');
  t.equal(await search('_foreign(team.members, country = FR)'), 'invalid_search_filter', 'it must be filterable here too');
  const fetched = await server.call('POST', '/indexes/books/documents/fetch', { filter: '_foreign(author, country = PT)' });
  t.same(fetched.body.results, [{ id: 2, author: ['a2', 7], kind: 'x' }]);
  const facet = await server.call('POST', '/indexes/books/facet-search', {
    facetName: 'kind',
    filter: '_foreign(author, country = PT)',
  });
  t.same(facet.body.facetHits, [{ value: 'x', count: 1 }]);
  const many = Array.from({ length: 101 }, (_, id) => ({ id: `m${id}`, country: 'XX' }));
  await server.task('POST', '/indexes/authors/documents', many);
  t.equal(await search('_foreign(author, country = XX)'), 'invalid_search_filter', 'too many');
  const deletion = await server.task('POST', '/indexes/books/documents/delete', { filter: '_foreign(author, country = FR)' });
  t.match(deletion, { status: 'failed', error: { code: 'invalid_search_filter' } });
});

t.test('joins show only what the caller may see', async (t) => {
  const server = await started(t, '--master-key', KEY);
  const make = async (indexes: string[]) =>
    (await server.call('POST', '/keys', { actions: ['search'], indexes, expiresAt: null })).body.key as string;
  const search = async (key: string, body: unknown = {}) =>
    server.call('POST', '/indexes/books/search', body, { authorization: `Bearer ${key}` });
  t.equal((await search(await make(['books', 'authors']))).status, 200);
  const hidden = await search(await make(['books']));
  t.match(hidden, { status: 404, body: { code: 'index_not_found' } });
  const filtered = await search(await make(['books']), { filter: '_foreign(author, country = FR)' });
  t.match(filtered, { status: 404, body: { code: 'index_not_found' } });
  await server.task('DELETE', '/indexes/authors');
  const missing = await search(KEY);
  t.same(missing.body, hidden.body, 'a hidden index is as one that is missing');
  const queries = [{ indexUid: 'books' }];
  for (const body of [{ queries }, { federation: {}, queries }]) {
    t.match(
      await server.call('POST', '/multi-search', body, { authorization: `Bearer ${KEY}` }),
      { status: 400, body: { code: 'index_not_found', message: /queries\[0\]/ } },
      'among several searches the query is named',
    );
  }
});
