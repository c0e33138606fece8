/** The cosine of the angle between two vectors of equal length; a vector of zeros is similar to everything: 1. */
export function cosine(one: Float32Array, other: Float32Array): number {
  let [product, left, right] = [0, 0, 0];
  for (let i = 0; i < one.length; i++) {
    const [a, b] = [one[i] as number, other[i] as number];
    product += a * b;
    left += a * a;
    right += b * b;
  }
  return left === 0 || right === 0 ? 1 : product / Math.sqrt(left * right);
}
