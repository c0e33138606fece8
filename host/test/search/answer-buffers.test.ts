import net from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import t from 'tap';
import { seededRandom } from '../../../bindings/test/random.js';
import { AnswerBuffers } from '../../search/ring/answer-buffers.js';
import { startServer } from '../server.js';

t.test('the buffer of an answer is not reused before its release', async (t) => {
  const seed = 3;
  t.comment(`seed ${seed}`);
  const random = seededRandom(seed);
  const buffers = new AnswerBuffers();
  const open: { answer: ReturnType<AnswerBuffers['answer']>; bytes: Uint8Array }[] = [];
  const memories = new Set<ArrayBufferLike>();
  for (let step = 0; step < 3000; step++) {
    if (open.length > 0 && random.int(2) === 0) {
      const [{ answer, bytes }] = open.splice(random.int(open.length), 1) as [(typeof open)[0]];
      if (Buffer.compare(answer.body, bytes) !== 0) t.fail(`answer of ${bytes.length} bytes was written over`);
      answer.release();
      continue;
    }
    const bytes = new Uint8Array(random.pick([0, 1, 4095, 4096, 4097, 20_000, 1 << 20])).fill(step & 0xff);
    const answer = buffers.answer(200, bytes);
    memories.add(answer.body.buffer);
    open.push({ answer, bytes });
  }
  t.ok(memories.size < 1000, `${memories.size} buffers served 1,500 answers`);
});

t.test('a slow client receives its own answers', async (t) => {
  const server = await startServer();
  t.teardown(() => server.close());
  const text = 'many words make a long answer '.repeat(600);
  const documents = Array.from({ length: 100 }, (_, id) => ({ id, kind: id % 2 === 0 ? 'even' : 'odd', text: `${id} ${text}` }));
  await server.task('PATCH', '/indexes/long/settings', { filterableAttributes: ['kind'] });
  await server.task('POST', '/indexes/long/documents?primaryKey=id', documents);
  const ask = (kind: string) => ({ filter: `kind = ${kind}`, limit: 50 });
  // One after the other on one connection: more than the sockets can buffer, so that the last answers wait in the server.
  const requests = 16;
  const body = JSON.stringify(ask('even'));
  const socket = net.connect(Number(new URL(server.url).port), '127.0.0.1');
  t.teardown(() => socket.destroy());
  const head = `POST /indexes/long/search HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n`;
  socket.write(`${head}${body}`.repeat(requests));
  await delay(300);
  for (let round = 0; round < 30; round++) {
    const { body: other } = await server.call('POST', '/indexes/long/search', ask('odd'));
    if (other.hits.length !== 50) t.fail('the others are answered meanwhile');
  }
  const expected = JSON.stringify(documents.filter(({ kind }) => kind === 'even'));
  const parts: Buffer[] = [];
  const received = () => Buffer.concat(parts).toString('latin1');
  let left = requests * expected.length;
  for await (const chunk of socket) {
    parts.push(chunk);
    left -= chunk.length;
    if (left < 0 && received().split('"estimatedTotalHits"').length > requests) break;
  }
  t.equal(received().split(expected).length - 1, requests, 'all answers have come whole');
});
