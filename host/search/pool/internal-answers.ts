import { errorBody, errorStatus } from '../../../bindings/error-table/table.js';
import { messageOf } from '../../../bindings/errors.js';
import type { SearchAnswer } from '../answer.js';

/** The answer to a request that no worker could answer. */
export function internalError(why: 'shuttingDown' | 'gaveUp' | 'threadEnded'): SearchAnswer {
  const body = errorBody('internal', messageOf('internal', why));
  return unshared(errorStatus('internal'), Buffer.from(JSON.stringify(body)));
}

/** An answer in unshared memory. */
export function unshared(status: number, body: Uint8Array): SearchAnswer {
  return { status, body: Buffer.from(body.buffer, body.byteOffset, body.byteLength), release: () => {} };
}
