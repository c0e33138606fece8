/** Parsed JSON of documents: what checks of reserved members share. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Characters that a message quotes of a value, from its beginning and from its end. */
const SHOWN = { start: 50, end: 85 };

/** A value in a message; only its beginning and end when it is long. */
export function quoted(value: unknown): string {
  const json = JSON.stringify(value);
  return json.length > SHOWN.start + SHOWN.end ? `${json.slice(0, SHOWN.start)}…${json.slice(-SHOWN.end)}` : json;
}
