/** By the length of a secret in bytes, the longest first: how many characters of it are shown, and what stands for the rest. */
const SHOWN: [atLeast: number, characters: number, rest: string][] = [
  [30, 5, 'XXXXXX...'],
  [20, 3, 'XXXXX...'],
  [10, 2, 'XXXX...'],
  [0, 0, 'XXX...'],
];

/** A secret as answers show it: enough to tell two of them apart, too little to use one. */
export function redact(secret: string): string {
  const length = Buffer.byteLength(secret);
  const [, characters, rest] = SHOWN.find(([atLeast]) => length >= atLeast)!;
  return [...secret].slice(0, characters).join('') + rest;
}

const BEARER = 'Bearer ';

/** The value of an `Authorization` header: the scheme `Bearer`, written so, is no secret. */
export function redactAuthorization(value: string): string {
  return value.startsWith(BEARER) ? BEARER + redact(value.slice(BEARER.length)) : redact(value);
}
