/** A number from 0 to 1 that looks random, from another number: the same each time. */
export function mix(value: number): number {
  let bits = Math.imul(value + 1, 0x9e3779b1);
  bits = Math.imul(bits ^ (bits >>> 15), 0x85ebca6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
  return ((bits ^ (bits >>> 16)) >>> 0) / 2 ** 32;
}
