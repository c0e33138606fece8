/** The two hexadecimal digits of each byte. */
const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));

const RANDOM_WORDS_PER_ID = 5;
/** Ids whose random bits are drawn at once: asking the system for each would cost more than writing a hit. */
const POOL_IDS = 256;

/** The leading bits of the words that say which version and variant of a UUID it is. */
const VERSION_7 = 0x7000;
const VARIANT = 0x8000;

const pool = new Uint16Array(POOL_IDS * RANDOM_WORDS_PER_ID);
let used = pool.length;

/** A UUID v7: milliseconds since 1970 in 48 bits, then random bits. */
export function requestId(): string {
  if (used === pool.length) {
    crypto.getRandomValues(pool);
    used = 0;
  }
  const now = Date.now();
  const high = Math.floor(now / 2 ** 16);
  const time = `${digits(high >>> 16)}${digits(high & 0xffff)}-${digits(now & 0xffff)}`;
  const version = digits(VERSION_7 | (randomWord() & 0x0fff));
  const variant = digits(VARIANT | (randomWord() & 0x3fff));
  return `${time}-${version}-${variant}-${digits(randomWord())}${digits(randomWord())}${digits(randomWord())}`;
}

function randomWord(): number {
  return pool[used++] as number;
}

/** The digits of a word of 16 bits. */
function digits(word: number): string {
  return `${HEX[word >>> 8]}${HEX[word & 0xff]}`;
}
