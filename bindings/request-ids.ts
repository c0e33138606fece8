import { v7 } from 'uuid';

const BYTES_PER_ID = 16;
const POOL_IDS = 256;

const pool = new Uint8Array(BYTES_PER_ID * POOL_IDS);
let used = pool.length;

/** A UUID v7. Random bits are drawn from a pool, because asking the system for each id would cost more than writing a hit. */
export function requestId(): string {
  if (used === pool.length) {
    crypto.getRandomValues(pool);
    used = 0;
  }
  const random = pool.subarray(used, used + BYTES_PER_ID);
  used += BYTES_PER_ID;
  return v7({ random });
}
