/** A whole number below `end`. */
export function upTo(end: number): number {
  return Math.floor(Math.random() * end);
}

export function pick<T>(list: readonly T[]): T {
  return list[upTo(list.length)] as T;
}
