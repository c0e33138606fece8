/** The two hexadecimal digits of each byte. */
const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));
const BYTES_PER_ID = 10;
/** The leading bits of bytes with a meaning: the version of a UUID, and its variant. */
const VERSION_7 = 0x70;
const VARIANT = 0x80;

/** Ids whose random bytes are drawn at once: asking the system for each would cost more than writing a hit. */
const POOL_IDS = 256;

const pool = new Uint8Array(POOL_IDS * BYTES_PER_ID);
let used = pool.length;

/** A UUID v7. */
export function requestId(): string {
  if (used === pool.length) {
    crypto.getRandomValues(pool);
    used = 0;
  }
  const time = Date.now().toString(16).padStart(12, '0');
  const version = VERSION_7 | (randomByte() & 0x0f);
  const variant = VARIANT | (randomByte() & 0x3f);
  return `${time.slice(0, 8)}-${time.slice(8)}-${HEX[version]}${digits(1)}-${HEX[variant]}${digits(1)}-${digits(6)}`;
}

function randomByte(): number {
  return pool[used++] as number;
}

/** The digits of random bytes. */
function digits(bytes: number): string {
  let text = '';
  for (let left = bytes; left > 0; left--) text += HEX[randomByte()];
  return text;
}
