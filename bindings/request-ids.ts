import { v7 } from 'uuid';

const BYTES_PER_ID = 16;
const POOL_IDS = 256;

const pool = new Uint8Array(BYTES_PER_ID * POOL_IDS);
let used = pool.length;
/** Those of one id: a view of the pool for each would be garbage. */
const random = new Uint8Array(BYTES_PER_ID);

/** A UUID v7. Random bits are drawn from a pool, because asking the system for each id would cost more than writing a hit. */
export function requestId(): string {
  if (used === pool.length) {
    crypto.getRandomValues(pool);
    used = 0;
  }
  for (let at = 0; at < BYTES_PER_ID; at++) random[at] = pool[used++] as number;
  return v7({ random });
}
