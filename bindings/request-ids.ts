import { v7 } from 'uuid';

const POOL_WORDS = 1024;

const pool = new Uint32Array(POOL_WORDS);
let used = pool.length;
const random = new Uint8Array(16);
const words = new Uint32Array(random.buffer);

/** A UUID v7. */
export function requestId(): string {
  for (let word = 0; word < words.length; word++) words[word] = randomWord();
  return v7({ random });
}

/** 32 random bits, from a pool: asking the system for those of each id would cost more than writing a hit. */
export function randomWord(): number {
  if (used === pool.length) {
    crypto.getRandomValues(pool);
    used = 0;
  }
  return pool[used++] as number;
}
