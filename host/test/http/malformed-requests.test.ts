import t from 'tap';
import { MAX_HEAD_BYTES } from '../../http/malformed-requests.js';
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
