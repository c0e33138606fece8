/** From this value on whole numbers are printed with an exponent. */
const FIRST_WITH_EXPONENT = 1e21;

/**
 * JSON of a quantity, as opposed to a count: whole numbers keep a `.0`, so that statically typed clients see a float. `value`
 * must be finite.
 */
export function floatText(value: number): string {
  return Number.isInteger(value) && Math.abs(value) < FIRST_WITH_EXPONENT ? `${value}.0` : String(value);
}

/** JSON of a vector, its components as {@link floatText}. */
export function vectorText(vector: readonly number[]): string {
  return `[${vector.map(floatText).join()}]`;
}
