/** Points as nearly everybody writes them: `{"lat": 52.5, "lng": -13.4}`, in either order, numbers without an exponent. */

const QUOTE = 0x22;
const COMMA = 0x2c;
const MINUS = 0x2d;
const DOT = 0x2e;
const ZERO = 0x30;
const NINE = 0x39;
const COLON = 0x3a;
const OPEN = 0x7b;
const CLOSE = 0x7d;
const [L, A, T, N, G] = [0x6c, 0x61, 0x74, 0x6e, 0x67];

/** The place behind the point that follows the name of a member, which ends at `at`; -1: it is written in another way. */
export function plainPointEnd(json: Uint8Array, at: number): number {
  let place = expect(json, expect(json, at, COLON), OPEN);
  const latFirst = isName(json, blanksEnd(json, place), A, T);
  place = numberEnd(json, nameEnd(json, place, latFirst));
  place = numberEnd(json, nameEnd(json, expect(json, place, COMMA), !latFirst));
  return expect(json, place, CLOSE);
}

function blanksEnd(json: Uint8Array, at: number): number {
  let place = at;
  while (json[place] === 0x20 || json[place] === 0x0a || json[place] === 0x0d || json[place] === 0x09) place++;
  return place;
}

/** Each of these answers the place behind what it reads, or -1 when something else stands there, or before it. */
function expect(json: Uint8Array, at: number, sign: number): number {
  if (at < 0) return -1;
  const place = blanksEnd(json, at);
  return json[place] === sign ? place + 1 : -1;
}

function isName(json: Uint8Array, at: number, second: number, third: number): boolean {
  return json[at + 1] === L && json[at + 2] === second && json[at + 3] === third && json[at] === QUOTE && json[at + 4] === QUOTE;
}

function nameEnd(json: Uint8Array, at: number, isLat: boolean): number {
  if (at < 0) return -1;
  const place = blanksEnd(json, at);
  return isName(json, place, isLat ? A : N, isLat ? T : G) ? expect(json, place + 5, COLON) : -1;
}

function digitsEnd(json: Uint8Array, at: number): number {
  let place = at;
  while ((json[place] as number) >= ZERO && (json[place] as number) <= NINE) place++;
  return place;
}

/** Longer numbers may be beyond all floats. */
const MAX_DIGITS = 64;

function numberEnd(json: Uint8Array, at: number): number {
  if (at < 0) return -1;
  let first = blanksEnd(json, at);
  if (json[first] === MINUS) first++;
  const whole = digitsEnd(json, first);
  if (whole === first || whole - first > MAX_DIGITS) return -1;
  if (json[whole] !== DOT) return whole;
  const end = digitsEnd(json, whole + 1);
  return end === whole + 1 ? -1 : end;
}
