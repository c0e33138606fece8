import fs from 'node:fs';
import t from 'tap';
import { errorStatus } from '../../../bindings/error-table/table.js';
import { openApiDocument } from '../../http/openapi.js';
import { ROUTES } from '../../http/route-table.js';
import { startServer } from '../server.js';

// biome-ignore lint/suspicious/noExplicitAny: a document of JSON
const document = openApiDocument() as any;

t.test('the file in docs/ is current', async (t) => {
  const file = fs.readFileSync(new URL('../../../../docs/openapi.json', import.meta.url), 'utf8');
  t.same(JSON.parse(file), JSON.parse(JSON.stringify(document)), 'npm run reference makes it anew');
});

t.test('every route is described, and every description has a route', async (t) => {
  const server = await startServer();
  t.teardown(() => server.close());
  const concrete = (url: string) => url.replaceAll(/:\w+/g, 'x');
  for (const route of Object.keys(ROUTES)) {
    const [method, url] = route.split(' ') as [string, string];
    if (route === 'POST /logs/stream') continue;
    const { status, body } = await server.call(method, concrete(url));
    t.ok(status !== 405 && !(status === 404 && body === ''), route);
  }
  t.same((await server.call('GET', '/openapi.json')).body, JSON.parse(JSON.stringify(document)));
});

t.test('every reference of the description resolves', async (t) => {
  const ids = new Set<string>();
  for (const path of Object.values<Record<string, { operationId: string }>>(document.paths))
    for (const { operationId } of Object.values(path)) {
      t.notOk(ids.has(operationId), operationId);
      ids.add(operationId);
    }
  const text = JSON.stringify(document);
  for (const [, name] of text.matchAll(/"#\/components\/schemas\/(\w+)"/g)) t.ok(name! in document.components.schemas, name!);
  for (const [, code] of text.matchAll(/"x-error-code":"(\w+)"/g)) t.ok(errorStatus(code!) >= 400, code!);
});

t.test('members have the types that the routes check', async (t) => {
  const search = document.paths['/indexes/{index_uid}/search'];
  const { properties, required } = search.post.requestBody.content['application/json'].schema;
  t.match(properties.limit, { type: 'integer', minimum: 0, default: 20, 'x-error-code': 'invalid_search_limit' });
  t.same(properties.matchingStrategy.enum, ['last', 'all', 'frequency']);
  t.same(properties.q.type, ['string', 'null']);
  t.equal(required, undefined);
  const untyped = Object.entries<Record<string, unknown>>(properties).filter(([, { type, anyOf }]) => !type && !anyOf);
  t.same(
    untyped.map(([name]) => name),
    ['media'],
    'what may be any JSON',
  );
  t.equal(search.get.parameters.find(({ name }: { name: string }) => name === 'cropLength').schema.default, 10);
});
