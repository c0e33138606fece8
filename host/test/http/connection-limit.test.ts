import net from 'node:net';
import t from 'tap';
import { mostConnections } from '../../http/connection-limit.js';
import { finished, request } from '../server.js';
import { testFolder } from '../support/folders.js';
import { kill, launchProcess } from '../support/process.js';
import { until } from '../support/until.js';

const DESCRIPTORS = 256;
const CLIENTS = 400;

t.test('a part of the file descriptors is kept for files', async (t) => {
  t.same(
    [64, 256, 1024, 4096, 1_048_576].map((descriptors) => mostConnections(descriptors)),
    [16, 128, 768, 3584, 1_048_064],
  );
});

t.test('connections do not take the file descriptors that tasks need', async (t) => {
  if (process.platform !== 'linux') return t.comment('this needs Linux');
  const { child, url } = launchProcess({ folder: `${testFolder(t)}/db`, env: {}, descriptors: DESCRIPTORS });
  t.teardown(() => kill(child));
  const address = await url;
  // this request's connection stays open
  t.equal((await request(address, 'GET', '/health')).status, 200);
  const sockets = Array.from({ length: CLIENTS }, () => net.connect(Number(new URL(address).port), '127.0.0.1'));
  t.teardown(() => {
    for (const socket of sockets) socket.destroy();
  });
  let closed = 0;
  for (const socket of sockets) {
    socket.on('error', () => {});
    socket.once('close', () => closed++);
    socket.resume();
  }
  await until('connections are closed', () => closed >= CLIENTS - mostConnections(DESCRIPTORS));
  for (let id = 0; id < 20; id++) {
    const { status, body } = await request(address, 'POST', '/indexes/a/documents', [{ id, text: 'filler '.repeat(10_000) }]);
    t.equal(status, 202, JSON.stringify(body));
    t.equal((await finished(address, body.taskUid)).status, 'succeeded');
  }
});
