import { KEY_NUMBER, REQUEST_VALUES, RemoteAnswer, RemoteRequest } from './exports.js';
import type { IndexReader } from './segments.js';

/** Bytes of numbers in answers of the engine. */
const WORD = Uint32Array.BYTES_PER_ELEMENT;

/** The values of a document in a field that filters, sorting or distinct use: numbers, then normalised texts. */
export function columnValues(reader: IndexReader, path: string, slot: number): (number | string)[] {
  const field = reader.fieldId(path);
  if (field < 0) return [];
  const { instance, id, view, base } = reader.segmentOf(slot);
  return instance.scoped(() => {
    const at = instance.alloc(RemoteRequest.bytes + WORD);
    const request = {
      kind: REQUEST_VALUES,
      segment: id,
      view,
      tombstones: 0,
      from: field,
      to: 0,
      limit: 0,
      flag: 0,
      payload: WORD,
    };
    RemoteRequest.write(instance.view, at, request);
    instance.view.setUint32(at + RemoteRequest.bytes, slot - base, true);
    const answer = instance.read(RemoteAnswer, instance.exports.answerRequest(RemoteRequest.at(at)));
    return readValues(instance.view, answer.data, (from, length) => instance.text(from, length));
  });
}

/** Reads the values of one document: their number, then each with a length and a byte for its type before it. */
function readValues(view: DataView, answer: number, text: (at: number, length: number) => string): (number | string)[] {
  const values: (number | string)[] = [];
  let at = answer + WORD;
  for (let left = view.getUint32(answer, true); left > 0; left--) {
    const length = view.getUint32(at, true);
    const content = at + WORD + 1;
    values.push(view.getUint8(at + WORD) === KEY_NUMBER ? view.getFloat64(content, true) : text(content, length - 1));
    at += WORD + length;
  }
  return values;
}
