import fs from 'node:fs';
import path from 'node:path';
import t from 'tap';
import { EmbeddingCache } from '../../embedders/embedding-cache.js';
import { Ledger } from '../../storage/ledger/ledger.js';
import { startServer } from '../server.js';
import { testFolder } from '../support/folders.js';
import { embeddingOf, restEmbedder, startModel } from '../support/model.js';

const float = (numbers: number[]) => numbers.map(Math.fround);

t.test('texts of documents are embedded once', async (t) => {
  const model = await startModel(t);
  const server = await startServer();
  t.teardown(() => server.close());
  const add = (documents: object[]) => server.task('POST', '/indexes/a/documents', documents);
  const vectors = async (id: number) =>
    (await server.call('GET', `/indexes/a/documents/${id}?retrieveVectors=true`)).body._vectors.m;
  await server.task('PATCH', '/indexes/a/settings/embedders', { m: restEmbedder(model) });
  t.equal(model.requests, 1, 'the dimensions were asked for');
  model.embedded = [];
  const added = await add([1, 2, 3].map((id) => ({ id, title: `lamp ${id % 2}` })));
  t.equal(added.status, 'succeeded');
  t.same(model.embedded.sort(), ['lamp 0', 'lamp 1'], 'equal texts are sent once');
  t.same(await vectors(1), { embeddings: [float(embeddingOf('lamp 1'))], regenerate: true });
  const { body: batch } = await server.call('GET', `/batches/${added.batchUid}`);
  t.same(batch.stats.embedderRequests, { total: 1, failed: 0 });

  model.embedded = [];
  await server.task('PUT', '/indexes/a/documents', [{ id: 1, note: 'x' }]);
  await server.task('PATCH', '/indexes/a/settings', { filterableAttributes: ['note'], searchableAttributes: ['title'] });
  await server.task('PATCH', '/indexes/a/settings/embedders', { m: { documentTemplate: '{{ doc.title }}' } });
  await add([{ id: 4, title: 'rug' }]);
  await server.task('PUT', '/indexes/a/documents', [{ id: 4, title: 'lamp 0' }]);
  await server.restart();
  await server.task('PUT', '/indexes/a/documents', [{ id: 4, title: 'rug' }]);
  await server.task('PATCH', '/indexes/a/settings/embedders', { m: null });
  await server.task('PATCH', '/indexes/a/settings/embedders', { m: restEmbedder(model, { dimensions: 8 }) });
  t.same(model.embedded, ['rug'], 'what was embedded before is not sent again');
  t.match((await server.call('GET', '/indexes/a/stats')).body, { numberOfEmbeddings: 4, numberOfEmbeddedDocuments: 4 });
});

t.test('failures of a model are retried or reported', async (t) => {
  const model = await startModel(t);
  const server = await startServer();
  t.teardown(() => server.close());
  const documents = Array.from({ length: 25 }, (_, id) => ({ id, title: `item ${id}` }));
  const add = () => server.task('POST', '/indexes/a/documents', documents);
  await server.task('PATCH', '/indexes/a/settings/embedders', { m: restEmbedder(model) });

  model.fault = (texts) => (texts.includes('item 7') || texts.includes('item 8') ? { status: 400 } : null);
  model.embedded = [];
  const refused = await add();
  t.match(refused, { status: 'failed', error: { code: 'vector_embedding_error', message: /2 documents \(`7`, `8`\)/ } });
  t.equal(new Set(model.embedded).size, 23, 'the others were embedded');
  t.equal((await server.call('GET', '/indexes/a/stats')).body.numberOfDocuments, 0);

  const several = [7, 30, 31].map((id) => ({ id, title: 'item 7' }));
  const together = await server.task('POST', '/indexes/a/documents', [
    ...several,
    { id: 32, title: 'fine', _vectors: { n: [1] } },
  ]);
  t.match(together.error.message, /3 documents \(`7`, `30`, `31`\)/, 'all documents of a text that is sent once');
  const misspelt = await server.task('POST', '/indexes/a/documents', [{ id: 33, title: 'item 7', _vectors: { mm: [1] } }]);
  t.match(misspelt.error.message, /`33` has `\._vectors\.mm`, which is no embedder: did you mean `m`\?/);
  t.match(await server.task('PATCH', '/indexes/b/settings', { embedders: { m: { source: 'userProvided', dimensions: 1 } } }), {
    status: 'succeeded',
  });
  const lacking = await server.task('POST', '/indexes/b/documents', [{ id: 1, _vectors: { om: [1] } }]);
  t.match(lacking.error, { code: 'vector_embedding_error', message: /`1` has `\._vectors\.om`.*did you mean `m`\?/ });
  await server.task(
    'POST',
    '/indexes/b/documents',
    several.map((document) => ({ ...document, _vectors: { m: [1] } })),
  );
  const settings = await server.task('PATCH', '/indexes/b/settings/embedders', { rest: restEmbedder(model, { dimensions: 8 }) });
  t.match(settings.error.message, /3 documents \(`7`, `30`, `31`\)/, 'of settings too');
  for (const [route, body] of [
    ['search', { q: 'a', hybrid: { embedder: 'mine' } }],
    ['similar', { id: 7, embedder: 'mine' }],
  ] as const) {
    t.match((await server.call('POST', `/indexes/b/${route}`, body)).body.message, /no embedder `mine`: it has `m`\./, route);
  }
  await server.task('PATCH', '/indexes/c/settings', { embedders: { movies: { source: 'userProvided', dimensions: 1 } } });
  const near = await server.call('POST', '/indexes/c/search', { q: 'a', hybrid: { embedder: 'moveis' } });
  t.match(near.body, { code: 'invalid_search_embedder', message: /Did you mean `movies`\?/ });

  const passing: [string, { status: number; body?: string; headers?: Record<string, string> }][] = [
    ['a pause is asked for', { status: 429, headers: { 'retry-after': '0' } }],
    ['the server fails', { status: 503 }],
    ['no JSON', { status: 200, body: '<html>' }],
  ];
  for (const [index, [name, fault]] of passing.entries()) {
    const first = model.requests;
    model.fault = (_, request) => (request === first ? fault : null);
    const task = await server.task('POST', '/indexes/a/documents', [{ id: 100 + index, title: `another ${index}` }]);
    t.equal(task.status, 'succeeded', name);
    const { body: batch } = await server.call('GET', `/batches/${task.batchUid}`);
    t.match(batch.stats.embedderRequests, { total: 2, failed: 1, lastError: String }, name);
  }

  const lasting: [string, { status: number; body?: string }][] = [
    ['a wrong key', { status: 401 }],
    ['another form', { status: 200, body: '{"items":[]}' }],
    ['too few', { status: 200, body: '{"data":[]}' }],
    ['other dimensions', { status: 200, body: '{"data":[{"embedding":[1,2]}]}' }],
    ['no numbers', { status: 200, body: '{"data":[{"embedding":"x"}]}' }],
  ];
  for (const [name, fault] of lasting) {
    model.fault = () => fault;
    const before = model.requests;
    const task = await server.task('POST', '/indexes/a/documents', [{ id: 200, title: `again ${name}` }]);
    t.match(task, { status: 'failed', error: { code: 'vector_embedding_error' } }, name);
    t.equal(model.requests, before + 1, 'is not tried again');
  }

  model.fault = () => null;
  t.equal((await add()).status, 'succeeded');
});

t.test('texts with all kinds of line ends are embedded unchanged', async (t) => {
  const model = await startModel(t);
  const server = await startServer();
  t.teardown(() => server.close());
  await server.task('PATCH', '/indexes/a/settings/embedders', { m: restEmbedder(model) });
  model.embedded = [];
  const titles = ['one\u2028line', 'a\u2029paragraph', 'two\r\nlines', 'next\u0085line'];
  const task = await server.task(
    'POST',
    '/indexes/a/documents',
    titles.map((title, id) => ({ id, title })),
  );
  t.equal(task.status, 'succeeded');
  t.same(model.embedded, titles);
});

t.test('a request refused by OpenAI is repeated text by text, shortening long texts', async (t) => {
  const model = await startModel(t);
  const server = await startServer();
  t.teardown(() => server.close());
  const embedder = { source: 'openAi', url: model.url, apiKey: 'k', dimensions: 8, documentTemplate: '{{doc.title}}' };
  await server.task('PATCH', '/indexes/a/settings/embedders', { m: { ...embedder, documentTemplateMaxBytes: 100_000 } });
  const asked: string[][] = [];
  model.fault = (texts) => {
    asked.push(texts);
    if (texts.some((text) => text.length > 20_000)) return { status: 400, body: 'too long' };
    return texts.includes('bad') ? { status: 400, body: 'bad' } : texts.includes('worse') ? { status: 422, body: 'worse' } : null;
  };
  const long = { id: 9, title: 'x'.repeat(50_000) };
  const good = Array.from({ length: 6 }, (_, id) => ({ id, title: `item ${id}` }));
  t.equal((await server.task('POST', '/indexes/a/documents', [...good, long])).status, 'succeeded');
  t.same(
    asked.map((texts) => texts.length),
    [7, 1, 1, 1, 1, 1, 1, 1, 1, 1],
    'the request, then each text, then less of the long one',
  );
  t.same(new Set(asked.slice(-2).map(([text]) => text?.length)), new Set([32_764, 16_382]));

  const refused = await server.task('POST', '/indexes/a/documents', [
    { id: 20, title: 'bad' },
    { id: 21, title: 'worse' },
    { id: 22, title: 'fine' },
  ]);
  t.match(refused, { status: 'failed', error: { code: 'vector_embedding_error' } });
  t.match(refused.error.message, /2 documents \(`20`\): .*400.*bad.* And \(`21`\): .*422.*worse/, 'each with its cause');
  t.equal((await server.call('GET', '/indexes/a/stats')).body.numberOfDocuments, 7);
});

t.test('the cache evicts embeddings, except those of unfinished work', async (t) => {
  const ledger = await Ledger.open(path.join(testFolder(t), 'ledger'));
  t.teardown(() => ledger.close());
  const cache = await EmbeddingCache.load(ledger, 4000);
  const hashes = Array.from({ length: 200 }, (_, n) => `${(n * 7919) % 1000}`.padStart(32, '0'));
  const put = (from: number, to: number) =>
    cache.put(
      'a',
      hashes.slice(from, to).map((hash) => ({ hash, vector: new Float32Array(10) })),
    );
  const count = async () => (await Promise.all(hashes.map((hash) => cache.get('a', hash, 10)))).filter(Boolean).length;
  const release = cache.hold();
  for (let from = 0; from < 180; from += 10) await put(from, from + 10);
  t.equal(await count(), 180);
  t.equal(await cache.get('a', hashes[0]!, 11), null, 'of another length');
  release();
  await put(180, 190);
  const left = await count();
  t.ok(left >= 80 && left <= 100, `${left} are left`);
});

t.test('only the task fails whose document cannot be embedded', async (t) => {
  const model = await startModel(t);
  const server = await startServer();
  t.teardown(() => server.close());
  await server.task('PATCH', '/indexes/a/settings/embedders', { m: restEmbedder(model) });
  model.fault = (texts) => (texts.includes('bad') ? { status: 400 } : null);
  model.delay = 200;
  // they wait for the first task, so they form one batch
  const bodies = [{ title: 'slow' }, { title: 'good' }, { title: 'bad' }, { name: 'no title' }, { title: 'last' }];
  const uids: number[] = [];
  for (const [id, body] of bodies.entries()) {
    uids.push((await server.call('POST', '/indexes/a/documents', [{ id, ...body }])).body.taskUid);
  }
  const tasks = await Promise.all(uids.map((uid) => server.finished(uid)));
  t.same(
    tasks.map(({ status, error }) => error?.code ?? status),
    ['succeeded', 'succeeded', 'vector_embedding_error', 'invalid_document_fields', 'succeeded'],
  );
});

t.test('a new template embeds and rebuilds only documents that it renders differently', async (t) => {
  const model = await startModel(t);
  const server = await startServer();
  t.teardown(() => server.close());
  const settings = (documentTemplate: string) =>
    server.task('PATCH', '/indexes/a/settings/embedders', { m: restEmbedder(model, { dimensions: 8, documentTemplate }) });
  await settings('{{doc.title}}');
  const documents = Array.from({ length: 40 }, (_, id) => ({
    id,
    title: `item ${id}`,
    ...(id % 10 === 3 ? { note: `about ${id}` } : {}),
  }));
  await server.task('POST', '/indexes/a/documents', [
    ...documents,
    { id: 100, title: 'own', note: 'x', _vectors: { m: [1, 0, 0, 0, 0, 0, 0, 0] } },
  ]);
  await server.task('DELETE', '/indexes/a/documents/13');
  const segments = () => fs.readdirSync(path.join(server.folder, 'segments'));
  const before = segments();
  model.embedded = [];
  const vectors = async (id: number) =>
    (await server.call('GET', `/indexes/a/documents/${id}?retrieveVectors=true`)).body._vectors.m.embeddings;
  const check = async (name: string) => {
    t.match((await server.call('GET', '/indexes/a/stats')).body, { numberOfDocuments: 40, numberOfEmbeddings: 40 }, name);
    for (const id of [3, 23]) t.same(await vectors(id), [float(embeddingOf(`item ${id} about ${id}`))], name);
    t.same(await vectors(4), [float(embeddingOf('item 4'))], name);
    t.same(await vectors(100), [[1, 0, 0, 0, 0, 0, 0, 0]], name);
    const { body } = await server.call('POST', '/indexes/a/search', {
      q: '',
      vector: embeddingOf('item 3 about 3'),
      hybrid: { embedder: 'm' },
      limit: 1,
    });
    t.equal(body.hits[0].title.startsWith('item'), true, name);
    t.equal((await server.call('POST', '/indexes/a/search', { q: 'item', limit: 100 })).body.hits.length, 39, name);
  };
  t.equal((await settings('{{doc.title}}{% if doc.note %} {{doc.note}}{% endif %}')).status, 'succeeded');
  t.same(
    model.embedded.sort(),
    ['item 23 about 23', 'item 3 about 3', 'item 33 about 33'],
    'a document with vectors of its own is not rendered',
  );
  t.ok(
    before.every((file) => segments().includes(file)),
    'the other documents stay where they are',
  );
  await check('changed');
  await server.restart();
  await check('after a restart');
  t.equal((await settings('{{doc.title}}{%if doc.note %} {{ doc.note }}{% endif %}')).status, 'succeeded');
  t.equal(model.embedded.length, 3, 'the same texts');
  await server.task('POST', '/indexes/a/compact');
  await check('merged');
  t.equal((await settings('{{doc.missing}}')).error.code, 'invalid_document_fields');
  await check('refused');
});

t.test('dumps carry the vectors', async (t) => {
  const model = await startModel(t);
  const dumps = testFolder(t);
  const server = await startServer('--dump-dir', dumps);
  t.teardown(() => server.close());
  await server.task('PATCH', '/indexes/a/settings/embedders', {
    m: restEmbedder(model),
    u: { source: 'userProvided', dimensions: 2 },
  });
  const documents = [
    { id: 1, title: 'lamp', _vectors: { u: [1, 0], old: [9.0] } },
    { id: 2, title: 'rug', _vectors: { u: null, m: [1, 0, 0, 0, 0, 0, 0, 0] } },
  ];
  await server.task('POST', '/indexes/a/documents', documents);
  const shown = async (from: typeof server) => (await from.call('GET', '/indexes/a/documents?retrieveVectors=true')).body.results;
  const before = await shown(server);
  t.match(before[0]._vectors, { u: { embeddings: [[1, 0]] }, m: { regenerate: true }, old: [9] });
  const dump = await server.task('POST', '/dumps');
  model.fault = () => ({ status: 500 });
  const other = await startServer('--import-dump', path.join(dumps, `${dump.details.dumpUid}.dump`));
  t.teardown(() => other.close());
  t.same(await shown(other), before);
});
