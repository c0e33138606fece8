/**
 * Recognises points in their usual form, `{"lat": 52.5, "lng": -13.4}` with the members in either order and numbers without
 * exponent, without parsing the document.
 */

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

/** The offset after the point that follows the member name ending at `at`; -1 when it has another form. */
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

/** Each of these returns the offset after what it reads, or -1 when something else stands there or `at` is already -1. */
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

/** Longer numbers may overflow a float. */
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
