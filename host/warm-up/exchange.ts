import type { Socket } from 'node:net';

/** A request, but for the headers that say how long it is and to whom it goes. */
export interface Request {
  method: 'GET' | 'POST';
  path: string;
  headers: readonly string[];
  body: string;
}

const END_OF_HEAD = '\r\n\r\n';

/**
 * Sends a request and waits for the whole answer. Clients of HTTP read through streams, as the server does: what is compiled for one of
 * them is thrown away when the other comes.
 * @returns the status. @throws {Error} when the connection ends before
 */
export function exchange(socket: Socket, request: Request): Promise<number> {
  return new Promise((resolve, reject) => {
    const answer = new Answer();
    const end = (settle: () => void) => {
      socket.off('data', onData).off('error', onEnd).off('close', onEnd);
      settle();
    };
    const onData = (chunk: Buffer) => {
      if (answer.take(chunk)) end(() => resolve(answer.status));
    };
    const onEnd = () => end(() => reject(new Error('the connection ended before the answer')));
    socket.on('data', onData).on('error', onEnd).on('close', onEnd);
    socket.write(textOf(request));
  });
}

/** A request as it is sent. */
export function textOf({ method, path, headers, body }: Request): string {
  const length = method === 'GET' ? [] : [`content-length: ${Buffer.byteLength(body)}`];
  return [`${method} ${path} HTTP/1.1`, 'host: localhost', ...headers, ...length].join('\r\n') + END_OF_HEAD + body;
}

/** An answer of known length, as it comes in. */
class Answer {
  status = 0;
  #head = '';
  /** Bytes of the body that have not come; null: the head is not complete. */
  #missing: number | null = null;

  /** Whether the answer is complete with this chunk. */
  take(chunk: Buffer): boolean {
    if (this.#missing === null) {
      this.#head += chunk.toString('latin1');
      const end = this.#head.indexOf(END_OF_HEAD);
      if (end < 0) return false;
      this.status = Number(this.#head.split(' ', 2)[1]);
      const length = /^content-length: (\d+)/im.exec(this.#head)?.[1];
      this.#missing = Number(length) + end + END_OF_HEAD.length - this.#head.length;
    } else this.#missing -= chunk.length;
    return this.#missing <= 0;
  }
}
