import { isDeepStrictEqual } from 'node:util';
import type { Test } from 'tap';

/**
 * `t.same` for large values: it formats both sides also where they are equal, which takes longer than the comparison. Here only
 * differences are formatted.
 */
export function sameData(t: Test, found: unknown, expected: unknown, what: string): void {
  if (isDeepStrictEqual(found, expected)) t.pass(what);
  else t.same(found, expected, what);
}
