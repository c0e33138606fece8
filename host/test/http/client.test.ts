import fs from 'node:fs';
import path from 'node:path';
import { generateTenantToken } from 'meilisearch/token';
import t from 'tap';
import { startServer } from '../server.js';
import { officialClient } from '../support/official-client.js';
import { startReceiver } from '../support/receiver.js';

const MASTER_KEY = 'a master key of enough bytes';
const BOOKS = [
  { id: 1, title: 'The Left Hand of Darkness', author: 'Le Guin', year: 1969, genres: ['science fiction'] },
  { id: 2, title: 'The Dispossessed', author: 'Le Guin', year: 1974, genres: ['science fiction', 'utopia'] },
  { id: 3, title: 'Middlemarch', author: 'Eliot', year: 1871, genres: ['novel'] },
  { id: 4, title: 'Darkness at Noon', author: 'Koestler', year: 1940, genres: ['novel', 'politics'] },
];

/** What users of the ecosystem's official client do, from the first index to a dump, in one go. */
t.test('the official client creates, fills, searches and deletes an index', async (t) => {
  const dumps = fs.mkdtempSync(path.join(t.testdir(), 'dumps-'));
  const server = await startServer('--master-key', MASTER_KEY, '--dump-dir', dumps);
  t.teardown(server.close);
  const receiver = await startReceiver();
  t.teardown(receiver.close);
  const client = officialClient(server.url, MASTER_KEY);
  const index = client.index('books');
  const ids = (answer: { hits: Record<string, unknown>[] }) => answer.hits.map((hit) => hit.id);

  t.ok(await client.isHealthy(), 'the server is there');
  t.match(await client.getVersion(), { pkgVersion: /^\d+\.\d+\.\d+$/ });

  await client.createWebhook({ url: receiver.url });
  await client.createIndex('books', { primaryKey: 'id' }).waitTask();
  const settings = { filterableAttributes: ['author', 'year', 'genres'], sortableAttributes: ['year'] };
  t.match(await index.updateSettings(settings).waitTask(), { status: 'succeeded', type: 'settingsUpdate' });
  const added = await index.addDocuments(BOOKS).waitTask();
  t.match(added, { status: 'succeeded', details: { receivedDocuments: 4, indexedDocuments: 4 } });

  t.same(ids(await index.search('darknes')), [4, 1], 'typos are tolerated, and the beginning of a title counts more');
  t.same(ids(await index.search('', { filter: 'year > 1900', sort: ['year:desc'] })), [2, 1, 4]);
  const faceted = await index.search('', { facets: ['author'] });
  t.same(faceted.facetDistribution, { author: { Eliot: 1, Koestler: 1, 'Le Guin': 2 } });
  const shown = await index.search('dark', { attributesToHighlight: ['title'], hitsPerPage: 1, page: 2 });
  t.match(shown, { totalHits: 2, hits: [{ _formatted: { title: 'The Left Hand of <em>Dark</em>ness' } }] });
  t.same((await index.searchForFacetValues({ facetName: 'genres', facetQuery: 'sci' })).facetHits, [
    { value: 'science fiction', count: 2 },
  ]);

  await index.updateDocuments([{ id: 3, year: 1872 }]).waitTask();
  t.match(await index.getDocument(3), { title: 'Middlemarch', year: 1872 });
  t.match(await index.deleteDocuments({ filter: 'author = Koestler' }).waitTask(), { details: { deletedDocuments: 1 } });
  t.equal((await index.getStats()).numberOfDocuments, 3);
  t.equal((await client.tasks.getTasks({ indexUids: ['books'], statuses: ['succeeded'] })).total, 5);

  const key = await client.createKey({ actions: ['search'], indexes: ['books'], expiresAt: null });
  const reader = officialClient(server.url, key.key);
  t.same(ids(await reader.index('books').search('middlemarch')), [3], 'a key that may search does');
  await t.rejects(reader.index('books').getSettings(), { cause: { code: 'invalid_api_key' } }, 'and nothing else');
  const searchRules = { books: { filter: 'author = "Le Guin"' } };
  const token = await generateTenantToken({ apiKey: key.key, apiKeyUid: key.uid, searchRules });
  const tenant = officialClient(server.url, token);
  t.same(ids(await tenant.index('books').search('')), [1, 2], 'a tenant sees what its rules let through');

  const { details } = await client.createDump().waitTask();
  t.ok(fs.existsSync(path.join(dumps, `${details?.dumpUid}.dump`)), 'a dump is written');
  await receiver.wait(1);
  t.match(receiver.received[0]?.tasks[0], { type: 'indexCreation', status: 'succeeded' }, 'webhooks are told');
});
