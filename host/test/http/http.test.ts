import http from 'node:http';
import { brotliCompressSync, brotliDecompressSync, deflateSync, gunzipSync, gzipSync, inflateSync } from 'node:zlib';
import t from 'tap';
import { chooseEncoding } from '../../http/compression.js';
import { exactSize, humanSize, limitSize, parseSize } from '../../options/sizes.js';
import { request, startServer } from '../server.js';

/** Sends a request with the path and headers as given, and returns the body without decompressing it. */
function raw(url: string, method: string, path: string, headers: Record<string, string> = {}, body?: Uint8Array) {
  const { hostname, port } = new URL(url);
  return new Promise<{ status: number; headers: http.IncomingHttpHeaders; body: Buffer }>((resolve, reject) => {
    const request = http.request({ hostname, port, method, path, headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk) => chunks.push(chunk));
      response.on('end', () => resolve({ status: response.statusCode!, headers: response.headers, body: Buffer.concat(chunks) }));
    });
    request.on('error', reject).end(body);
  });
}

t.test('sizes are parsed and printed', async (t) => {
  t.same([52428800, 123456, 1500, 1010, 131072, 0].map(exactSize), [
    '50 MiB',
    '120.5625 KiB',
    '1.46484375 KiB',
    '1.01 KB',
    '128 KiB',
    '0 B',
  ]);
  t.same([636, 10000, 999424].map(humanSize), ['636 B', '9.77 KiB', '976 KiB']);
  t.same([100_000_000, 1024, 2048].map(limitSize), ['100 MB', '1 KiB', '2 KiB']);
  t.same(['100 MB', '1.5KiB', '20k', '7', '7.5', 'big'].map(parseSize), [100_000_000, 1536, 20_000, 7, null, null]);
});

t.test('the encoding is negotiated', async (t) => {
  const cases: [string, string | null][] = [
    ['', 'identity'],
    ['identity', 'identity'],
    ['gzip', 'gzip'],
    ['br;q=1.0, gzip;q=0.5', 'br'],
    ['gzip, deflate, br', 'gzip'],
    ['*', 'gzip'],
    ['gzip;q=0', 'identity'],
    ['unknown', 'identity'],
    ['identity;q=0, gzip;q=0, deflate;q=0, br;q=0', null],
    ['*;q=0', null],
    ['*;q=0, br', 'br'],
    ['gzip;q=0.2, identity', 'identity'],
  ];
  for (const [header, encoding] of cases) t.equal(chooseEncoding(header), encoding, header);
});

t.test('compression, size limits, unknown paths, CORS and keys over HTTP', async (t) => {
  const server = await startServer('--http-payload-size-limit', '1024');
  t.teardown(server.close);
  const json = { 'content-type': 'application/json' };
  const body = Buffer.from('{"uid":"i"}');

  t.test('bodies may be compressed, and answers are', async (t) => {
    for (const [encoding, bytes] of [
      ['gzip', gzipSync(body)],
      ['deflate', deflateSync(body)],
      ['br', brotliCompressSync(body)],
      ['odd', body],
    ] as const)
      t.equal(
        (await raw(server.url, 'POST', '/indexes', { ...json, 'content-encoding': encoding }, bytes)).status,
        202,
        encoding,
      );
    const broken = await raw(
      server.url,
      'POST',
      '/indexes',
      { ...json, 'content-encoding': 'gzip' },
      gzipSync(body).subarray(0, 20),
    );
    t.match(JSON.parse(broken.body.toString()), { code: 'bad_request' });
    for (const encoding of ['gzip', 'deflate', 'br']) {
      const headers = { ...json, 'content-encoding': encoding, 'content-length': '0' };
      for (const route of ['/indexes', '/indexes/a/documents']) {
        const empty = await raw(server.url, 'POST', route, headers, Buffer.alloc(0));
        t.match(JSON.parse(empty.body.toString()), { code: 'missing_payload' }, `nothing as ${encoding} to ${route}`);
      }
    }
    for (const [encoding, decode] of [
      ['gzip', gunzipSync],
      ['deflate', inflateSync],
      ['br', brotliDecompressSync],
    ] as const) {
      const answer = await raw(server.url, 'GET', '/indexes/none', { 'accept-encoding': encoding });
      t.match(answer.headers, { 'content-encoding': encoding, vary: 'accept-encoding' });
      t.match(JSON.parse(decode(answer.body).toString()), { code: 'index_not_found' });
    }
    const plain = await raw(server.url, 'GET', '/health');
    t.equal(plain.headers['content-encoding'], undefined);
    const none = await raw(server.url, 'GET', '/health', { 'accept-encoding': '*;q=0' });
    t.equal(none.status, 406);
    t.match(none.headers['content-type'], /text\/plain/);
  });

  t.test('the limit applies to decompressed bytes, and a body of that size is accepted', async (t) => {
    const padded = (length: number) => Buffer.from('{"uid":"i"}'.padEnd(length));
    t.equal((await raw(server.url, 'POST', '/indexes', json, padded(1024))).status, 202);
    for (const [headers, bytes] of [
      [json, padded(1025)],
      [{ ...json, 'content-encoding': 'gzip' }, gzipSync(padded(5000))],
    ] as const) {
      const answer = await raw(server.url, 'POST', '/indexes', headers, bytes);
      t.equal(answer.status, 413);
      t.match(JSON.parse(answer.body.toString()), { code: 'payload_too_large', message: /1 KiB/ });
    }
  });

  t.test('unknown paths and methods are answered by 404 and 405', async (t) => {
    t.equal((await raw(server.url, 'GET', '//health//')).status, 200);
    const unknown = await raw(server.url, 'GET', '/nope');
    t.same([unknown.status, unknown.body.length], [404, 0]);
    const wrong = await raw(server.url, 'DELETE', '/health');
    t.same([wrong.status, wrong.body.length, wrong.headers.allow], [405, 0, 'GET']);
    t.match(JSON.parse((await raw(server.url, 'GET', '/indexes/%zz')).body.toString()), { code: 'bad_request' });
    t.equal((await raw(server.url, 'HEAD', '/indexes')).status, 405);
    t.equal((await raw(server.url, 'GET', '/indexes/i/documents/delete-batch')).status, 405);
  });

  t.test('only routes read bodies', async (t) => {
    const bodies: [Record<string, string>, Buffer][] = [
      [json, Buffer.from('{"uid"')],
      [{ 'content-type': 'image/png' }, Buffer.from('x')],
      [{}, Buffer.from('x')],
    ];
    const methods = ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'QUERY'].filter((method) => http.METHODS.includes(method));
    for (const [headers, bytes] of bodies) {
      for (const method of methods) t.equal((await raw(server.url, method, '/nope', headers, bytes)).status, 404, method);
      t.equal((await raw(server.url, 'OPTIONS', '/health', headers, bytes)).status, 405);
      t.equal((await raw(server.url, 'DELETE', '/health', headers, bytes)).status, 405);
    }
  });

  t.test('any origin is allowed', async (t) => {
    const answer = await raw(server.url, 'GET', '/health', { origin: 'http://example.org' });
    t.equal(answer.headers['access-control-allow-origin'], '*');
    const preflight = await raw(server.url, 'OPTIONS', '/indexes', {
      origin: 'http://e.org',
      'access-control-request-method': 'PUT',
    });
    t.match(preflight, { status: 200, headers: { 'access-control-max-age': '86400', 'access-control-allow-origin': '*' } });
  });
});

t.test('with a master key requests without it are refused', async (t) => {
  const server = await startServer('--master-key', 'a master key of some length');
  t.teardown(server.close);
  const call = async (authorization?: string) => {
    const { status, body } = await request(
      server.url,
      'GET',
      '/indexes?limit=x',
      undefined,
      authorization ? { authorization } : {},
    );
    return [status, body.code];
  };
  t.same(await call(), [401, 'missing_authorization_header']);
  t.same(await call('a master key of some length'), [401, 'missing_authorization_header']);
  t.same(await call('bearer a master key of some length'), [401, 'missing_authorization_header']);
  t.same(await call('Bearer '), [403, 'invalid_api_key']);
  t.same(await call('Bearer another'), [403, 'invalid_api_key']);
  t.same(await call('Bearer a master key of some length'), [400, 'invalid_index_limit']);
  t.equal((await server.call('GET', '/health', undefined, { authorization: 'x' })).status, 200);
  t.equal((await server.call('GET', '/nope')).status, 404);
  t.equal((await server.call('PUT', '/health')).status, 405);
});
