import t from 'tap';
import { startServer } from '../server.js';

const server = await startServer();
t.teardown(() => server.close());
await server.call('PATCH', '/experimental-features', { editDocumentsByFunction: true });

let count = 0;

/** An index of its own with these documents. */
async function indexWith(documents: unknown, settings: Record<string, unknown> = {}) {
  const uid = `edition-${count++}`;
  const created = await server.task('POST', '/indexes', { uid, primaryKey: 'id' });
  t.equal(created.status, 'succeeded');
  await server.task('PATCH', `/indexes/${uid}/settings`, settings);
  await server.task('POST', `/indexes/${uid}/documents`, documents);
  return {
    edit: (body: Record<string, unknown>) => server.task('POST', `/indexes/${uid}/documents/edit`, body),
    documents: async () => (await server.call('GET', `/indexes/${uid}/documents?limit=1000`)).body.results,
    // numbers with their digits
    text: async () => (await fetch(`${server.url}/indexes/${uid}/documents?limit=1000`)).text(),
    uid,
  };
}

t.test('scripts change documents', async (t) => {
  const cases: [string, string, Record<string, unknown> | null, unknown, unknown][] = [
    ['a member', 'doc.name = doc.name.toUpperCase()', null, { name: 'ant' }, { name: 'ANT' }],
    ['deletes a member', 'delete doc.draft', null, { draft: 1, b: 2 }, { b: 2 }],
    ['context', `doc.note = \`by \${context.who}\``, { who: 'me' }, {}, { note: 'by me' }],
    ['closure', 'doc.tags = doc.tags.filter((t) => t != context.bad)', { bad: 'x' }, { tags: ['x', 'y'] }, { tags: ['y'] }],
    ['arithmetic', 'doc.price = (doc.price * 1.2) - 1', null, { price: 10 }, { price: 11 }],
    ['a name with a blank', 'doc["p q"] = 1', null, {}, { 'p q': 1 }],
    ['a comment at the end', 'doc.a = 1 // done', null, {}, { a: 1 }],
    ['an early end', 'if (doc.a) return; doc.b = 1', null, { a: 1 }, { a: 1 }],
    ['nothing', '', null, { a: 1 }, { a: 1 }],
  ];
  for (const [name, script, context, before, after] of cases) {
    const index = await indexWith([{ id: 1, ...(before as object) }]);
    const task = await index.edit({ function: script, context });
    t.equal(task.status, 'succeeded', `${name}: ${task.error?.message}`);
    t.equal(task.details.editedDocuments, 1);
    t.same(await index.documents(), [{ id: 1, ...(after as object) }], name);
  }
});

t.test('members named like JavaScript built-ins are ordinary members', async (t) => {
  const index = await indexWith('[{"id":1,"__proto__":{"a":1},"constructor":2,"toString":3}]');
  const task = await index.edit({ function: 'doc.x = 1; doc.valueOf = 4' });
  t.equal(task.status, 'succeeded');
  t.match(await index.text(), '{"id":1,"__proto__":{"a":1},"constructor":2,"toString":3,"x":1,"valueOf":4}');
});

t.test('a document set to null is deleted', async (t) => {
  for (const script of [
    'if (doc.stock == 0) { doc = null }',
    'if (doc.stock == 0) { doc = () }',
    'if (doc.stock == 0) doc = undefined',
  ]) {
    const index = await indexWith([
      { id: 1, stock: 0 },
      { id: 2, stock: 5 },
    ]);
    const task = await index.edit({ function: script });
    t.equal(task.status, 'succeeded', task.error?.message);
    t.match(task.details, { editedDocuments: 2, deletedDocuments: 2 });
    t.same(await index.documents(), [{ id: 2, stock: 5 }]);
  }
});

t.test('only selected documents are edited', async (t) => {
  const index = await indexWith(
    [
      { id: 1, c: 'blue' },
      { id: 2, c: 'red' },
    ],
    { filterableAttributes: ['c'] },
  );
  const task = await index.edit({ function: 'doc.seen = true', filter: 'c = blue' });
  t.match(task.details, { editedDocuments: 1, deletedDocuments: 1, originalFilter: '"c = blue"', context: null });
  t.same(await index.documents(), [
    { id: 1, c: 'blue', seen: true },
    { id: 2, c: 'red' },
  ]);

  const none = await index.edit({ function: 'throw 1', filter: ['c = green'] });
  t.match(none, { status: 'succeeded', details: { editedDocuments: 0, deletedDocuments: 0, originalFilter: '["c = green"]' } });

  const wrong = await index.edit({ function: '', filter: 'other = 1' });
  t.match(wrong, { status: 'failed', error: { code: 'invalid_document_filter' } });
  t.same(wrong.details.editedDocuments, 0);
  t.same(wrong.details.deletedDocuments, null);

  const empty = await indexWith([], {});
  const unsuited = await empty.edit({ function: '', filter: 'other = 1' });
  t.match(unsuited, { status: 'failed', error: { code: 'invalid_document_filter' } }, 'also without documents');
});

t.test('numbers that the script does not change keep their digits', async (t) => {
  const index = await indexWith(
    '[{"id":1,"big":12345678901234567890,"list":[9007199254740993,7],"price":10.50,"tiny":1e-7,"n":1}]',
  );
  await index.edit({ function: 'doc.copy = doc.big; doc.list = doc.list.reverse(); doc.n = doc.n + 1' });
  t.equal(
    JSON.stringify((await index.text()).match(/\{"id".*?\}/)![0]),
    JSON.stringify(
      '{"id":1,"big":12345678901234567890,"list":[7,9007199254740993],"price":10.50,"tiny":1e-7,"n":2,"copy":12345678901234567890}',
    ),
  );
});

t.test('a failure changes nothing', async (t) => {
  const cases: [string, string, string][] = [
    ['an error', 'doc.n = 0; if (doc.id == 2) throw new Error("stop")', 'edit_documents_by_function_error'],
    ['no object', 'if (doc.id == 2) doc = 5', 'edit_documents_by_function_error'],
    ['an array', 'doc = [doc]', 'edit_documents_by_function_error'],
    ['another key', 'doc.id = doc.id + 1', 'edit_documents_by_function_error'],
    ['no key', 'doc.n = 0; delete doc.id', 'missing_document_id'],
    ['a bad place', 'doc.n = 0; if (doc.id == 2) doc._geo = 1', 'invalid_document_geo_field'],
    ['a loop', 'while (true);', 'edit_documents_by_function_error'],
    ['a slow pattern', '/^(a+)+$/.test("a".repeat(60) + "b")', 'edit_documents_by_function_error'],
    ['recursion', '(function f() { f() })()', 'edit_documents_by_function_error'],
    ['memory', 'doc.x = "x".repeat(1e8)', 'edit_documents_by_function_error'],
    ['a text that is no Unicode', 'doc.x = "\\ud800"', 'edit_documents_by_function_error'],
    ['an import', 'import("node:fs"); require("fs")', 'edit_documents_by_function_error'],
    ['the clock', 'doc.at = Date.now()', 'edit_documents_by_function_error'],
    ['randomness', 'doc.x = Math.random()', 'edit_documents_by_function_error'],
    ['the host', 'doc.x = process.env', 'edit_documents_by_function_error'],
    ['a constant', 'context = 1', 'edit_documents_by_function_error'],
  ];
  const documents = [
    { id: 1, n: 1 },
    { id: 2, n: 2 },
  ];
  const index = await indexWith(documents, { filterableAttributes: ['_geo'] });
  for (const [name, script, code] of cases) {
    const task = await index.edit({ function: script, context: {} });
    t.equal(task.error?.code, code, `${name}: ${task.error?.message}`);
    t.match(task, { status: 'failed', details: { editedDocuments: 0, deletedDocuments: null, function: script } }, name);
    t.same(await index.documents(), documents, name);
  }
});

t.test('no state passes from one document to the next', async (t) => {
  const index = await indexWith(Array.from({ length: 50 }, (_, id) => ({ id })));
  const script = `globalThis.seen = (globalThis.seen || 0) + 1;
    context.count = (context.count || 0) + 1;
    Array.prototype.tail = 1;
    var mine; mine = (mine || 0) + 1;
    doc.counts = [seen, context.count, mine, Object.keys(globalThis).length];`;
  const task = await index.edit({ function: script, context: {} });
  t.equal(task.status, 'succeeded', task.error?.message);
  const counts = new Set((await index.documents()).map((document: { counts: number[] }) => JSON.stringify(document.counts)));
  t.equal(counts.size, 1);
  t.match([...counts][0], /^\[1,1,1,/);
});

t.test('many documents are changed, left alone or deleted', async (t) => {
  const index = await indexWith(Array.from({ length: 3000 }, (_, id) => ({ id, title: `title ${id}`, n: id })));
  const task = await index.edit({ function: 'if (doc.n % 3 == 0) doc = null; else if (doc.n % 3 == 1) doc.title = "one"' });
  t.match(task.details, { editedDocuments: 3000, deletedDocuments: 3000 });
  const { body: stats } = await server.call('GET', `/indexes/${index.uid}/stats`);
  t.equal(stats.numberOfDocuments, 2000);
  const { body } = await server.call('POST', `/indexes/${index.uid}/search`, { q: '"one"', limit: 0 });
  t.equal(body.estimatedTotalHits, 1000);
});

t.test('invalid editions are refused', async (t) => {
  const { uid } = await indexWith([{ id: 1 }]);
  const cases: [unknown, string][] = [
    [{}, 'missing_document_edition_function'],
    [{ function: null }, 'invalid_document_edition_function_filter'],
    [{ function: 'doc.x =' }, 'bad_request'],
    [{ function: `${'('.repeat(100_000)}` }, 'bad_request'],
    [{ function: '', filter: '' }, 'invalid_document_filter'],
    [{ function: '', context: [] }, 'invalid_document_edition_context'],
    [{ function: '', other: 1 }, 'bad_request'],
  ];
  for (const [body, code] of cases) {
    const answer = await server.call('POST', `/indexes/${uid}/documents/edit`, body);
    t.match(answer, { status: 400, body: { code } });
  }
  const missing = await server.task('POST', '/indexes/nowhere/documents/edit', { function: '' });
  t.match(missing, { status: 'failed', error: { code: 'index_not_found' } });
  await server.call('PATCH', '/experimental-features', { editDocumentsByFunction: false });
  const off = await server.call('POST', `/indexes/${uid}/documents/edit`, { function: '' });
  t.match(off, { status: 400, body: { code: 'feature_not_enabled' } });
});
