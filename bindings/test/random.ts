/** Pseudo-random numbers for property tests: the same seed gives the same cases (xorshift32). */
export interface SeededRandom {
  /** 0 … n - 1 */
  int(n: number): number;
  pick<T>(array: readonly T[]): T;
}

export function seededRandom(seed: number): SeededRandom {
  let state = seed >>> 0 || 1;
  const int = (n: number) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) % n;
  };
  return { int, pick: (array) => array[int(array.length)] as never };
}
