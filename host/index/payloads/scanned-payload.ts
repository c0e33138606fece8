/** A payload that was found to be well-formed. */
export interface ScannedPayload {
  /** Number of documents. */
  count: number;
  bytes: number;
}

/** A payload in a file of its own, on disk. */
export interface StoredPayload extends ScannedPayload {
  /** File name in the payload folder. */
  file: string;
}

/** A payload that is small enough to be stored in the ledger with its task. */
export interface SmallPayload extends ScannedPayload {
  file: null;
  content: Uint8Array;
}

export type PayloadFormat = 'json' | 'ndjson' | 'csv';
