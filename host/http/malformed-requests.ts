import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { errorBody, errorStatus } from '../../bindings/error-table/table.js';
import { messageOf } from '../../bindings/errors.js';

/**
 * Bytes of the path and the headers of a request. Searches with `GET` have long filters in the path, and tenant tokens have rules for many
 * indexes; Node.js allows 16 KiB.
 */
export const MAX_HEAD_BYTES = 65_536;

/** Answers what cannot be read as an HTTP request, and closes the connection. @param error of Node.js */
export function answerMalformed(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || socket.destroyed) return;
  const [status, message] = answerTo(error.code);
  const body = JSON.stringify(errorBody('bad_request', message));
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
  ];
  if (socket.writable) socket.write(`${head.join('\r\n')}\r\n\r\n${body}`);
  socket.destroy(error);
}

/** Status and message for the code of an error of Node.js. */
function answerTo(fault: string | undefined): [status: number, message: string] {
  switch (fault) {
    case 'HPE_HEADER_OVERFLOW':
      return [431, messageOf('bad_request', 'longHead', { bytes: MAX_HEAD_BYTES })];
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return [408, messageOf('bad_request', 'slowRequest')];
    default:
      return [errorStatus('bad_request'), messageOf('bad_request', 'notHttp')];
  }
}
