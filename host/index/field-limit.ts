import type { ApplyInput } from './apply.js';
import { PayloadFiles } from './payload.js';

/** Distinct paths that an index may have. */
const FIELD_LIMIT = 65_536;

/**
 * The first addition whose documents bring an index beyond the limit of field paths, or -1. Called only when that has happened,
 * so it is slow and simple.
 */
export function firstBeyondFieldLimit({ view, operations, payloads }: ApplyInput, refused: ReadonlyMap<number, unknown>): number {
  let known = new Set(view.fields);
  const files = new PayloadFiles(payloads);
  for (const [index, operation] of operations.entries()) {
    if (operation.type !== 'add' || refused.has(index)) continue;
    const paths = new Set(known);
    const payload = files.reader(operation.file, operation.at);
    for (let document = 0; document < payload.count; document++) {
      collect(JSON.parse(Buffer.from(payload.document(document)).toString()), '', paths);
    }
    files.close();
    if (paths.size > FIELD_LIMIT) return index;
    known = paths;
  }
  return -1;
}

function collect(value: unknown, prefix: string, paths: Set<string>): void {
  if (Array.isArray(value)) {
    for (const item of value) collect(item, prefix, paths);
  } else if (typeof value === 'object' && value !== null) {
    for (const [name, member] of Object.entries(value)) {
      const field = prefix ? `${prefix}.${name}` : name;
      paths.add(field);
      collect(member, field, paths);
    }
  }
}
