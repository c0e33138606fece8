/** From here on whole numbers are written with an exponent. */
const FIRST_WITH_EXPONENT = 1e21;

/**
 * JSON of numbers that stand for quantities, not for counts: a whole one keeps its `.0`, so that clients of typed languages read it as
 * the same type as its neighbours. `value` is finite.
 */
export function floatText(value: number): string {
  return Number.isInteger(value) && Math.abs(value) < FIRST_WITH_EXPONENT ? `${value}.0` : String(value);
}
