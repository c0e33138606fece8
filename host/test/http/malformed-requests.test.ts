import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import t from 'tap';
import { answerMalformed, MAX_HEAD_BYTES } from '../../http/malformed-requests.js';
import { startServer } from '../server.js';
import { openSocket, readAnswers } from '../support/sockets.js';

t.test('what is not HTTP gets an error in the usual shape, and the connection is closed', async (t) => {
  const server = await startServer();
  t.teardown(server.close);
  const answerTo = async (text: string) => {
    const socket = await openSocket(new URL(server.url).port);
    socket.write(text);
    const [answer] = await readAnswers(socket, 1);
    socket.destroy();
    return { ...JSON.parse(answer?.body ?? '{}'), status: answer?.status };
  };
  const link = '/docs/errors#bad_request';
  const shape = { code: 'bad_request', type: 'invalid_request', link };
  t.same(await answerTo('FOO\r\n\r\n'), { status: 400, message: 'The request is not valid HTTP.', ...shape });
  const both = 'POST /indexes HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n{}';
  t.match(await answerTo(both), { status: 400, ...shape });
  const long = (bytes: number) => `GET /health?a=${'x'.repeat(bytes)} HTTP/1.1\r\nHost: a\r\n\r\n`;
  t.match(await answerTo(long(MAX_HEAD_BYTES)), { status: 431, message: /longer than 65536 bytes/, ...shape });
  t.match(await answerTo(long(MAX_HEAD_BYTES - 1000)), { status: 200 });
});

t.test('a request that does not come in time', async (t) => {
  const server = http.createServer({ headersTimeout: 50, requestTimeout: 50, connectionsCheckingInterval: 20 });
  server.on('clientError', answerMalformed).listen(0, '127.0.0.1');
  t.teardown(() => server.close());
  await once(server, 'listening');
  const socket = await openSocket((server.address() as AddressInfo).port);
  socket.write('GET /health HTTP/1.1\r\nHost: a\r\n');
  const [answer] = await readAnswers(socket, 1);
  socket.destroy();
  t.equal(answer?.status, 408);
  t.match(JSON.parse(answer?.body ?? '{}'), { code: 'bad_request', message: 'The request was not received in time.' });
});
