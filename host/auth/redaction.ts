/** How many characters of a secret are shown, by its length in bytes (longest first), and the text that replaces the rest. */
const SHOWN: [atLeast: number, characters: number, rest: string][] = [
  [30, 5, 'XXXXXX...'],
  [20, 3, 'XXXXX...'],
  [10, 2, 'XXXX...'],
  [0, 0, 'XXX...'],
];

/** A secret as answers and logs show it: enough to tell two secrets apart, too little to use one. */
export function redact(secret: string): string {
  const length = Buffer.byteLength(secret);
  const [, characters, rest] = SHOWN.find(([atLeast]) => length >= atLeast)!;
  return [...secret].slice(0, characters).join('') + rest;
}

const BEARER = 'Bearer ';

/** The value of an `Authorization` header, redacted; the scheme `Bearer` is left readable. */
export function redactAuthorization(value: string): string {
  return value.startsWith(BEARER) ? BEARER + redact(value.slice(BEARER.length)) : redact(value);
}
