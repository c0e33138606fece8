import fs from 'node:fs';
import t from 'tap';
import { MEANINGS } from '../../../bindings/error-table/meanings.js';
import { ERROR_SECTIONS, errorBody, errorStatus, errorType } from '../../../bindings/error-table/table.js';
import { apiError, errorAs } from '../../../bindings/errors.js';
import { errorReference } from '../../reference/errors.js';
import { startServer } from '../server.js';

t.test('the table has every code with its status and meaning', async (t) => {
  const codes = ERROR_SECTIONS.flatMap(({ rows }) => Object.keys(rows));
  t.equal(codes.length, 293);
  t.equal(new Set(codes).size, 293);
  const count = (status: number) => codes.filter((code) => errorStatus(code) === status).length;
  t.same(
    [400, 401, 403, 404, 409, 410, 412, 413, 415, 422, 451, 500, 501, 502, 503].map(count),
    [245, 2, 2, 11, 3, 1, 4, 1, 3, 3, 1, 6, 3, 5, 3],
  );
  t.equal(errorType('too_many_search_requests'), 'system');
  t.same(errorBody('index_not_found', 'm'), {
    message: 'm',
    code: 'index_not_found',
    type: 'invalid_request',
    link: '/docs/errors#index_not_found',
  });
  for (const code of codes) t.match(MEANINGS.get(code)!, /^[A-Z].*\.$/, code);
});

t.test('messages are filled in from templates', async (t) => {
  t.match(apiError('index_not_found', 'notFound', { uid: 'a{uid}$&' }), {
    code: 'index_not_found',
    message: 'Index `a{uid}$&` not found.',
  });
  t.match(errorAs('invalid_search_sort', 'inQuery', { position: 2, message: 'm' }, 404), {
    status: 404,
    message: 'Inside `.queries[2]`: m',
  });
  for (const { rows } of ERROR_SECTIONS)
    for (const [code, { messages = {} }] of Object.entries(rows))
      t.ok(
        Object.values(messages).every((text) => /\S$/.test(text)),
        code,
      );
});

t.test('no message is written outside the table, and the reference is current', async (t) => {
  const root = new URL('../../../../', import.meta.url);
  const sources = ['host', 'bindings'].flatMap((folder) =>
    fs
      .readdirSync(new URL(folder, root), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts') && !/(^|\/)test\//.test(name))
      .map((name) => `${folder}/${name}`),
  );
  const written = sources.filter((file) => /new ApiError\([^,]+,\s*['"`]/.test(fs.readFileSync(new URL(file, root), 'utf8')));
  t.same(written, []);
  const page = fs.readFileSync(new URL('docs/reference/errors.md', root), 'utf8');
  t.equal(page, errorReference(), 'npm run reference makes the page anew');
});

t.test('invalid requests get the documented codes', async (t) => {
  const server = await startServer();
  t.teardown(server.close);
  await server.task('POST', '/indexes/i/documents', [{ id: 1 }]);
  const json = { 'content-type': 'application/json' };
  const refused: [string, string, string | undefined, Record<string, string>, number, string][] = [
    ['POST', '/indexes', '{"uid": 5, "extra": 1}', json, 400, 'invalid_index_uid'],
    ['POST', '/indexes', '{"extra": 1, "uid": 5}', json, 400, 'bad_request'],
    ['POST', '/indexes', '{"extra": 1}', json, 400, 'bad_request'],
    ['POST', '/indexes', '{"primaryKey": 5}', json, 400, 'invalid_index_primary_key'],
    ['POST', '/indexes', '{}', json, 400, 'missing_index_uid'],
    ['POST', '/indexes', '[]', json, 400, 'bad_request'],
    ['POST', '/indexes', '', json, 400, 'missing_payload'],
    ['POST', '/indexes', ' ', json, 400, 'malformed_payload'],
    ['POST', '/indexes', '{"uid": "a"} x', json, 400, 'malformed_payload'],
    ['POST', '/indexes', '{}', { 'content-type': 'text/plain' }, 415, 'invalid_content_type'],
    ['PATCH', '/indexes/i', '{"createdAt": 1}', json, 400, 'immutable_index_created_at'],
    ['PATCH', '/indexes/a!', '{"x": 1}', json, 400, 'bad_request'],
    ['PATCH', '/indexes/a!', '{}', json, 400, 'invalid_index_uid'],
    ['GET', '/indexes?limit=-1', undefined, {}, 400, 'invalid_index_limit'],
    ['GET', '/indexes/none', undefined, {}, 404, 'index_not_found'],
    ['GET', '/indexes/none/stats', undefined, {}, 404, 'index_not_found'],
    ['GET', '/indexes/i/stats?sizeFormat=big', undefined, {}, 400, 'invalid_stats_size_format'],
    ['POST', '/swap-indexes', '{}', json, 400, 'bad_request'],
    ['POST', '/swap-indexes', '[{}]', json, 400, 'missing_swap_indexes'],
    ['POST', '/swap-indexes', '[{"indexes":["a"],"rename":1}]', json, 400, 'invalid_swap_rename'],
    ['POST', '/swap-indexes', '[{"indexes":["a"]}]', json, 400, 'invalid_swap_indexes'],
    ['POST', '/swap-indexes', '[{"indexes":["a","b"]},{"indexes":["a","c"]}]', json, 400, 'invalid_swap_duplicate_index_found'],
    ['POST', '/indexes/a!/documents?foo=1', '[]', {}, 400, 'bad_request'],
    ['POST', '/indexes/a!/documents?foo=1', '[]', { 'content-encoding': 'gzip' }, 400, 'bad_request'],
    ['POST', '/indexes/a!/documents', '[]', {}, 400, 'invalid_index_uid'],
    ['POST', '/indexes/i/documents', '[]', { 'content-type': 'application/vnd.api+json' }, 415, 'invalid_content_type'],
    ['POST', '/indexes/i/documents?csvDelimiter=;', '[]', json, 415, 'invalid_content_type'],
    ['POST', '/indexes/i/documents?csvDelimiter=ab', '[]', json, 400, 'invalid_document_csv_delimiter'],
    ['POST', '/indexes/i/documents?skipCreation=1', '[]', json, 400, 'invalid_skip_creation'],
    ['POST', '/indexes/i/documents', '', json, 400, 'missing_payload'],
    ['POST', '/indexes/i/documents', '[{"id":1}', json, 400, 'malformed_payload'],
    ['POST', '/indexes/i/documents', '[1]', json, 400, 'malformed_payload'],
    ['POST', '/indexes/i/documents/delete-batch', '{{{', json, 400, 'bad_request'],
    ['POST', '/indexes/i/documents/delete-batch', '1 2', json, 400, 'bad_request'],
    ['POST', '/indexes/i/documents/delete-batch', '[1,', json, 400, 'malformed_payload'],
    ['POST', '/indexes/i/documents/delete-batch', 'word', json, 400, 'malformed_payload'],
    ['POST', '/indexes/i/documents/delete', '{}', json, 400, 'missing_document_filter'],
    ['POST', '/indexes/i/documents/delete', '{"filter":null}', json, 400, 'invalid_document_filter'],
    ['POST', '/indexes/i/documents/delete', '{"filter":[""]}', json, 400, 'invalid_document_filter'],
    ['POST', '/indexes/i/documents/delete', '{"filter":"a ="}', json, 400, 'invalid_document_filter'],
    ['POST', '/indexes/i/documents/delete', '{"filter":"a CONTAINS b"}', json, 400, 'feature_not_enabled'],
    ['POST', '/indexes/i/fields', '{"filter":{"x":1}}', json, 400, 'invalid_index_fields_filter'],
    ['POST', '/indexes/b!d/fields', '{}', json, 404, 'index_not_found'],
    ['PATCH', '/experimental-features', '{"nope":true}', json, 400, 'bad_request'],
    ['PATCH', '/experimental-features', '{"metrics":1}', json, 400, 'bad_request'],
    ['PATCH', '/experimental-features', '{"metrics":true,"legacySearch":true}', json, 400, 'bad_request'],
    ['GET', '/tasks/77', undefined, {}, 404, 'task_not_found'],
    ['GET', '/batches/-1', undefined, {}, 400, 'invalid_batch_uids'],
  ];
  for (const [method, route, body, headers, status, code] of refused) {
    const bytes = body === undefined ? undefined : new TextEncoder().encode(body);
    const answer = await server.call(method, route, bytes, { 'content-type': '', ...headers });
    t.match(answer, { status, body: { code, link: `/docs/errors#${code}` } }, `${method} ${route} ${body ?? ''}`);
  }
  const page = await server.call('GET', '/docs/errors');
  const anchors = [...page.body.matchAll(/ id="(\w+)"/g)].map(([, id]) => id);
  t.same(
    anchors,
    ERROR_SECTIONS.flatMap(({ rows }) => Object.keys(rows)),
    'one anchor a code',
  );
  t.equal(new Set(anchors).size, anchors.length);
  t.match(page.headers.get('content-type'), /text\/html/);
});

t.test('the page of errors needs no key', async (t) => {
  const server = await startServer('--master-key', 'a master key of enough bytes');
  t.teardown(server.close);
  const open = async (route: string) => (await fetch(server.url + route)).status;
  t.equal(await open('/docs/errors'), 200);
  t.equal(await open('/health'), 200);
  t.equal(await open('/indexes'), 401, 'as other routes do');
});
