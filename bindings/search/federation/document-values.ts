import { JsonNumber, type JsonObject, type JsonValue } from '../../query/json.js';

/**
 * The numbers and texts at a path of a document, including those in arrays; paths match nested members as well as names
 * containing dots.
 */
export function documentValues(document: JsonObject, path: string): (number | string)[] {
  const values: (number | string)[] = [];
  collect(document, path.split('.'), values);
  return values;
}

function collect(value: JsonValue | undefined, path: readonly string[], into: (number | string)[]): void {
  if (Array.isArray(value)) for (const item of value) collect(item, path, into);
  else if (value instanceof Map) {
    for (let parts = 1; parts <= path.length; parts++)
      collect(value.get(path.slice(0, parts).join('.')), path.slice(parts), into);
  } else if (path.length === 0) {
    if (value instanceof JsonNumber) into.push(value.value);
    else if (typeof value === 'boolean' || (typeof value === 'string' && value !== '')) into.push(String(value));
  }
}

/** Texts with equal results count as one value: case and width are ignored. */
export function comparedValue(value: number | string): number | string {
  return typeof value === 'string' ? value.trim().normalize('NFKD').toLowerCase() : value;
}

/** The members of a document that contain these paths. */
export function membersWith(document: JsonObject, paths: readonly string[]): JsonObject {
  const holds = (name: string) => paths.some((path) => path === name || path.startsWith(`${name}.`));
  return new Map([...document].filter(([name]) => holds(name)));
}
