import fs from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import t, { type Test } from 'tap';
import { startServer, type TestServer } from '../server.js';
import { until } from '../support/until.js';

/** Payloads that a service must refuse or accept without damage to its data. */
const KEPT = [
  { id: 1, text: 'first lantern' },
  { id: 2, text: 'second lantern' },
];
const ROUTE = '/indexes/kept/documents';
const MB = 1_000_000;
const NDJSON = { 'content-type': 'application/x-ndjson' };
const CSV = { 'content-type': 'text/csv' };
const LIMIT = 4096;

const bytes = (text: string) => new TextEncoder().encode(text);
/** A document nested `levels` objects or arrays deep, counting the document itself. */
const deep = (levels: number, [open, close]: [string, string] = ['{"a":', '}']) =>
  `{"id":9,"a":${open.repeat(levels - 1)}7${close.repeat(levels - 1)}}`;

async function serverWithDocuments(t: Test, ...flags: string[]): Promise<TestServer> {
  const server = await startServer(...flags);
  t.teardown(server.close);
  await server.task('POST', ROUTE, KEPT);
  return server;
}

let common: Promise<TestServer> | null = null;

/** One server for all tests that leave its data unchanged. */
function commonServer(): Promise<TestServer> {
  common ??= serverWithDocuments(t);
  return common;
}

const taskCount = async (server: TestServer): Promise<number> => (await server.call('GET', '/tasks')).body.total;

/** Checks that the previous documents are found, further writes succeed, and no payload is left. */
async function unharmed(t: Test, server: TestServer, what: string): Promise<void> {
  t.match(await server.call('GET', '/health'), { status: 200, body: { status: 'available' } }, what);
  t.same((await server.call('GET', ROUTE)).body.results, KEPT, `${what}: the documents`);
  t.match(await server.task('POST', ROUTE, [{ id: 3, text: 'third lantern' }]), { status: 'succeeded' }, `${what}: a write`);
  const { body } = await server.call('POST', '/indexes/kept/search', { q: 'lantern' });
  t.same(
    body.hits.map(({ id }: { id: number }) => id),
    [1, 2, 3],
    `${what}: a search`,
  );
  await server.task('DELETE', `${ROUTE}/3`);
  t.same(fs.readdirSync(path.join(server.folder, 'payloads')), [], `${what}: no payload is left`);
}

/** Checks that each is refused at once with this code, and creates no task. */
async function refused(
  t: Test,
  server: TestServer,
  code: string,
  status: number,
  cases: [what: string, body: string | Uint8Array, headers?: Record<string, string>][],
): Promise<void> {
  const before = await taskCount(server);
  for (const [what, body, headers] of cases)
    for (const method of ['POST', 'PUT'])
      t.match(await server.call(method, ROUTE, body, headers), { status, body: { code } }, `${method} ${what}`);
  t.equal(await taskCount(server), before, 'no task was made');
}

t.test('truncated payloads are refused', async (t) => {
  const server = await commonServer();
  const whole = '[{"id":8,"text":"a \\u00e9 \\"b\\" é","list":[1,-2.5e3,true,null,{"c":{}}]}]';
  const encoded = bytes(whole);
  await refused(
    t,
    server,
    'malformed_payload',
    400,
    Array.from({ length: encoded.length - 1 }, (_, index) => [`cut at byte ${index + 1}`, encoded.subarray(0, index + 1)]),
  );
  await refused(t, server, 'malformed_payload', 400, [
    ['ndjson', '{"id":7}\n{"id":8,"te', NDJSON],
    ['csv in quotes', 'id,text\n7,"open', CSV],
    ['csv short of a cell', 'id,text\n7,a\n8', CSV],
  ]);
  await refused(t, server, 'bad_request', 400, [
    ['gzip', gzipSync(encoded).subarray(0, 30), { 'content-encoding': 'gzip', 'content-type': 'application/json' }],
  ]);
  await unharmed(t, server, 'after them');
});

t.test('connections closed within a payload leave nothing', async (t) => {
  const server = await commonServer();
  const before = await taskCount(server);
  const { port, hostname } = new URL(server.url);
  const part = '[{"id":8},{"id":9}]';
  const framings = [
    `content-length: ${part.length + 1}\r\n\r\n${part}`,
    `transfer-encoding: chunked\r\n\r\n${part.length.toString(16)}\r\n${part}\r\n`,
    `transfer-encoding: chunked\r\n\r\nffff\r\n${part}`,
  ];
  for (const end of ['end', 'destroy'] as const)
    for (const framing of framings) {
      const socket = net.connect(Number(port), hostname);
      socket.on('error', () => {});
      const closed = new Promise((resolve) => socket.once('close', resolve));
      socket.resume();
      await new Promise((resolve) =>
        socket.write(`POST ${ROUTE} HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n${framing}`, resolve),
      );
      socket[end]();
      await closed;
    }
  await unharmed(t, server, 'after them');
  t.equal(await taskCount(server), before + 2, 'only the tasks of the check were made');
});

t.test('payloads over the size limit are refused', async (t) => {
  const server = await serverWithDocuments(t, '--http-payload-size-limit', String(LIMIT));
  const padded = (length: number) => `[{"id":9,"text":"${'x'.repeat(length - 20)}"}]`;
  const json = { 'content-type': 'application/json' };
  t.equal(padded(LIMIT).length, LIMIT);
  await refused(t, server, 'payload_too_large', 413, [
    ['by one byte', padded(LIMIT + 1)],
    ['by much', padded(8 * MB)],
    ['by blanks', `[{"id":9}]${' '.repeat(LIMIT)}`],
    ['ndjson', '{"id":9}\n'.repeat(LIMIT), NDJSON],
    ['csv', `id\n${'9\n'.repeat(LIMIT)}`, CSV],
    ['once unpacked', gzipSync(padded(30 * MB)), { ...json, 'content-encoding': 'gzip' }],
  ]);
  await unharmed(t, server, 'after them');
  t.match(await server.task('POST', ROUTE, padded(LIMIT)), { status: 'succeeded' }, 'the limit itself is allowed');
});

t.test('deeply nested payloads are refused', async (t) => {
  const server = await commonServer();
  const brackets: [string, string] = ['[', ']'];
  for (const levels of [127, 500])
    for (const pair of [undefined, brackets]) {
      const document = deep(levels, pair);
      t.match(await server.task('POST', ROUTE, `[${document}]`), { status: 'succeeded' }, `${levels} levels`);
      t.same((await server.call('GET', `${ROUTE}/9`)).body, JSON.parse(document), `${levels} levels come back`);
      const { body } = await server.call('POST', '/indexes/kept/search', { q: '7' });
      t.same(body.hits, [JSON.parse(document)], 'and are found');
      await server.task('DELETE', `${ROUTE}/9`);
    }
  await refused(t, server, 'malformed_payload', 400, [
    ['objects', `[${deep(1000)}]`],
    ['arrays', `[${deep(1000, brackets)}]`],
    ['very deep objects', `[${deep(MB)}]`],
    ['very deep arrays', `[${deep(MB, brackets)}]`],
    ['only openings', '['.repeat(5 * MB)],
    ['ndjson', `{"id":8}\n${deep(MB)}`, NDJSON],
  ]);
  await unharmed(t, server, 'after them');
});

t.test('other routes refuse deeply nested bodies', async (t) => {
  const server = await commonServer();
  const nested = `${'['.repeat(MB)}${']'.repeat(MB)}`;
  for (const [method, route, body] of [
    ['POST', '/indexes/kept/search', `{"filter":${nested}}`],
    ['PATCH', '/indexes/kept/settings', `{"synonyms":${nested}}`],
    ['PUT', '/indexes/kept/settings/stop-words', nested],
    ['POST', `${ROUTE}/delete`, `{"filter":${nested}}`],
    ['POST', `${ROUTE}/delete-batch`, nested],
    ['POST', `${ROUTE}/fetch`, `{"filter":${nested}}`],
  ] as const)
    t.match(await server.call(method, route, body), { status: 400, body: { type: 'invalid_request' } }, `${method} ${route}`);
  await unharmed(t, server, 'after them');
});

t.test('payloads with invalid UTF-8 are refused', async (t) => {
  const server = await commonServer();
  const wrong: [string, number[]][] = [
    ['a byte of no meaning', [0xff]],
    ['a lone continuation', [0x80]],
    ['a sequence cut short', [0xe2, 0x82]],
    ['an overlong form', [0xc0, 0xaf]],
    ['half of a surrogate pair', [0xed, 0xa0, 0x80]],
    ['beyond the last code point', [0xf4, 0x90, 0x80, 0x80]],
  ];
  const within = (before: string, inner: number[], after: string) => Uint8Array.of(...bytes(before), ...inner, ...bytes(after));
  for (const [what, inner] of wrong)
    await refused(t, server, 'malformed_payload', 400, [
      [`${what}, in a text`, within('[{"id":8,"text":"a', inner, 'b"}]')],
      [`${what}, in a name`, within('[{"id":8,"a', inner, 'b":1}]')],
      [`${what}, ndjson`, within('{"id":7}\n{"id":8,"text":"', inner, '"}\n'), NDJSON],
      [`${what}, csv`, within('id,text\n8,a', inner, 'b\n'), CSV],
    ]);
  await refused(t, server, 'malformed_payload', 400, [
    ['UTF-16', Uint8Array.from(Buffer.from('\ufeff[{"id":8}]', 'utf16le'))],
    ['half of an escaped pair', '[{"id":8,"text":"\\ud800"}]'],
  ]);
  await unharmed(t, server, 'after them');
});

t.test('a document with a million fields is refused', async (t) => {
  const server = await serverWithDocuments(t);
  const fields = (letter: string, count: number) =>
    Array.from({ length: count }, (_, index) => `"${letter}${index}":1`).join(',');
  const bodies = [
    `[{"id":9,${fields('a', MB)}}]`,
    `[{"id":9,"inner":{${fields('b', MB / 10)}}}]`,
    `[{"id":9,"list":[{"x":1},{${fields('c', MB / 10)}}]}]`,
  ];
  for (const body of bodies) {
    const task = await server.task('POST', ROUTE, body);
    t.match(task, {
      status: 'failed',
      details: { receivedDocuments: 1, indexedDocuments: 0 },
      error: { code: 'max_fields_limit_exceeded', type: 'invalid_request', message: /65,536 distinct field paths/ },
    });
  }
  await unharmed(t, server, 'after it');
  t.same(Object.keys((await server.call('GET', '/indexes/kept/stats')).body.fieldDistribution).sort(), ['id', 'text']);
  await server.restart();
  await unharmed(t, server, 'after a restart');
});

t.test('the field limit is exact', async (t) => {
  const server = await serverWithDocuments(t);
  await server.restart('--experimental-max-number-of-batched-tasks', '0');
  const LIMIT_OF_FIELDS = 65_536;
  const fields = (from: number, count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, i) => [`f${from + i}`, 1]));
  const half = LIMIT_OF_FIELDS / 2;
  // `id`, `text` and `o` are fields too
  const additions: [document: object, taken: boolean][] = [
    [{ id: 20, o: fields(0, half) }, true],
    [{ id: 21, ...fields(0, half) }, false],
    [{ id: 22, ...fields(0, half - 3) }, true],
    [{ id: 23, o: fields(10, 5), ...fields(10, 5) }, true],
    [{ id: 24, one: 1 }, false],
  ];
  const uids: number[] = [];
  for (const [document] of additions) uids.push((await server.call('POST', ROUTE, [document])).body.taskUid);
  await server.restart();
  const tasks = await Promise.all(uids.map(server.finished));
  t.same(
    tasks.map(({ status, error }) => error?.code ?? status),
    additions.map(([, taken]) => (taken ? 'succeeded' : 'max_fields_limit_exceeded')),
    'only the documents that bring too many are refused',
  );
  t.equal(new Set(tasks.map(({ batchUid }) => batchUid)).size, 1, 'of one batch');
});

t.test('one line of many megabytes is accepted', async (t) => {
  const server = await commonServer();
  const text = `begins ${'sentence '.repeat((2 * MB) / 9)}`;
  const word = 'x'.repeat(2 * MB);
  const cases: [string, string, Record<string, string>?][] = [
    ['json', JSON.stringify([{ id: 9, text, word }])],
    ['ndjson', JSON.stringify({ id: 9, text, word }), NDJSON],
    ['csv', `id:number,text,word\n9,${text},${word}`, CSV],
  ];
  for (const [what, body, headers] of cases) {
    t.match(await server.task('POST', ROUTE, body, headers), { status: 'succeeded' }, what);
    const stored = (await server.call('GET', `${ROUTE}/9`)).body;
    t.ok(stored.text === text && stored.word === word, `${what}: comes back whole`);
    const { body: found } = await server.call('POST', '/indexes/kept/search', { q: 'begins', attributesToRetrieve: ['id'] });
    t.same(found.hits, [{ id: 9 }], `${what}: is found`);
    await server.task('DELETE', `${ROUTE}/9`);
  }
  await refused(t, server, 'malformed_payload', 400, [
    ['an error at its end', `[{"id":9,"word":"${word}"},]`],
    ['one long number', `[{"id":9,"n":${'7'.repeat(5 * MB)}}]`],
  ]);
  await unharmed(t, server, 'after them');
  t.ok(
    await until(
      'the queue is empty',
      async () => (await server.call('GET', '/tasks?statuses=enqueued,processing')).body.total === 0,
    ),
  );
});
