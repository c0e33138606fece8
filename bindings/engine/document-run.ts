/** Consecutive documents of a payload, each a valid JSON object. */
export interface DocumentRun {
  bytes: Uint8Array;
  /** (start, end) of each document in `bytes`. */
  places: Uint32Array;
}

export function runOf(json: Uint8Array): DocumentRun {
  return { bytes: json, places: Uint32Array.of(0, json.length) };
}

export function documentOf({ bytes, places }: DocumentRun, index: number): Uint8Array {
  return bytes.subarray(places[2 * index], places[2 * index + 1]);
}
