import { once } from 'node:events';
import net from 'node:net';

/** HTTP over sockets, for clients that behave as HTTP libraries never do. */

export interface RawAnswer {
  status: number;
  /** Unparsed, with the status line. */
  headers: string;
  body: string;
}

/** Opens a connection. */
export async function openSocket(port: number | string): Promise<net.Socket> {
  const socket = net.connect({ host: '127.0.0.1', port: Number(port), allowHalfOpen: true, noDelay: true });
  socket.on('error', () => {});
  await once(socket, 'connect');
  return socket;
}

const HEAD_END = '\r\n\r\n';

/** Reads the next answers on a connection, which must have a content length; fewer if it is closed before. */
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

/** Discards what comes until the other side closes the connection. */
export async function drainAnswers(socket: net.Socket): Promise<void> {
  socket.resume();
  if (!socket.closed) await Promise.race([once(socket, 'end'), once(socket, 'close')]);
  socket.destroy();
}

/** Milliseconds without a byte after which no more are expected. */
const QUIET_MS = 1500;

/** Counts the bytes that still come on a connection, until it is closed or none come. */
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
