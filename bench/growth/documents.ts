import { seededRandom } from '../../bindings/test/random.js';
import type { DataSet } from '../data.js';

const SEED = 99;

/** Any number of documents in the words of a data set. */
export interface Enlarged {
  /** The documents with the ids 1 to `count` as NDJSON, in payloads of at most `bytes`. */
  payloads(count: number, bytes: number): Generator<Uint8Array<ArrayBuffer>>;
  /** A document with this id and another text than before. */
  changed(id: number): string;
}

/**
 * Each document has the values of one of the data set and each of its texts from another, so that vocabulary, lengths and frequencies keep
 * their distribution; the shortest text ends with the id, as names are different words in larger data too.
 */
export function enlarged({ documents, primaryKey, textFields }: DataSet): Enlarged {
  const [name] = textFields;
  const random = seededRandom(SEED);
  const document = (id: number): string => {
    const texts = textFields.map((field) => [field, random.pick(documents)[field]]);
    const mixed: Record<string, unknown> = { ...random.pick(documents), ...Object.fromEntries(texts), [primaryKey]: id };
    if (name !== undefined) mixed[name] = `${mixed[name] ?? ''}-${id}`;
    return JSON.stringify(mixed);
  };
  return {
    *payloads(count, bytes) {
      let lines: string[] = [];
      let length = 0;
      for (let id = 1; id <= count; id++) {
        const line = `${document(id)}\n`;
        if (length + line.length * MAX_BYTES_PER_UNIT > bytes && lines.length > 0) {
          yield encoder.encode(lines.join(''));
          lines = [];
          length = 0;
        }
        lines.push(line);
        length += Buffer.byteLength(line);
      }
      if (lines.length > 0) yield encoder.encode(lines.join(''));
    },
    changed: document,
  };
}

const encoder = new TextEncoder();
/** Maximum number of bytes of UTF-8 per UTF-16 unit. */
const MAX_BYTES_PER_UNIT = 3;
