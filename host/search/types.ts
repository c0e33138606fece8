/** A request as HTTP brought it; bytes and parameters are parsed by the worker. */
export interface SearchCall {
  query?: [string, string][] | undefined;
  body?: Uint8Array | undefined;
  /** The id in the path, for `document`. */
  documentId?: string | undefined;
  /** Answer with a `metadata` object. */
  metadata?: boolean | undefined;
  /** A filter that the token of the caller adds: JSON as in the member `filter`. */
  tokenFilter?: unknown;
  /** Experimental features that are switched on. */
  features?: Readonly<Record<string, boolean>>;
}

export interface SearchAnswer {
  status: number;
  body: Buffer;
  /** To be called when nobody reads the body any more: its memory may then be written over. It need not be called. */
  release(): void;
}
