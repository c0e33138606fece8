import { once } from 'node:events';
import net from 'node:net';

/** HTTP over bare sockets, for clients that do what libraries for it do not. */

export interface RawAnswer {
  status: number;
  /** As they came, the first line among them. */
  headers: string;
  body: string;
}

/** A connection on which nothing has been sent. */
export async function openSocket(port: number | string): Promise<net.Socket> {
  const socket = net.connect({ host: '127.0.0.1', port: Number(port), allowHalfOpen: true, noDelay: true });
  socket.on('error', () => {});
  await once(socket, 'connect');
  return socket;
}

const HEAD_END = '\r\n\r\n';

/** The next answers on a connection, which have a length; fewer when it is closed before. */
export async function readAnswers(socket: net.Socket, count: number): Promise<RawAnswer[]> {
  const answers: RawAnswer[] = [];
  let bytes = Buffer.alloc(0);
  return new Promise((resolve) => {
    const done = () => {
      socket.off('data', take).off('close', done).off('end', done);
      resolve(answers);
    };
    const take = (chunk: Buffer) => {
      bytes = Buffer.concat([bytes, chunk]);
      for (let end = bytes.indexOf(HEAD_END); end >= 0 && answers.length < count; end = bytes.indexOf(HEAD_END)) {
        const headers = bytes.subarray(0, end).toString('latin1');
        const start = end + HEAD_END.length;
        const length = Number(/content-length: (\d+)/i.exec(headers)?.[1] ?? 0);
        if (bytes.length < start + length) break;
        answers.push({ status: Number(headers.split(' ')[1]), headers, body: bytes.subarray(start, start + length).toString() });
        bytes = bytes.subarray(start + length);
      }
      if (answers.length >= count) done();
    };
    socket.on('data', take).once('close', done).once('end', done);
  });
}

/** Resolves when the other side has closed the connection. */
export async function drainAnswers(socket: net.Socket): Promise<void> {
  socket.resume();
  if (!socket.closed) await Promise.race([once(socket, 'end'), once(socket, 'close')]);
  socket.destroy();
}

/** Milliseconds without a byte after which nothing more is expected. */
const QUIET_MS = 1500;

/** Bytes that still come on a connection, until it is closed or nothing comes. */
export async function takeAll(socket: net.Socket): Promise<number> {
  let bytes = 0;
  return new Promise((resolve) => {
    const done = () => resolve(bytes);
    socket.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
    });
    socket.once('end', done).once('close', done).setTimeout(QUIET_MS, done);
    if (socket.closed) done();
    socket.resume();
  });
}
