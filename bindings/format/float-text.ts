/**
 * JSON of numbers that stand for quantities, not for counts: a whole one keeps its `.0`, so that clients of typed languages read it as
 * the same type as its neighbours. `value` is finite.
 */
export function floatText(value: number): string {
  const text = String(value);
  return /^-?\d+$/.test(text) ? `${text}.0` : text;
}
