export const ERROR_TYPES = ['invalid_request', 'auth', 'internal', 'system'] as const;
export type ErrorType = (typeof ERROR_TYPES)[number];

/** What there is to say of an error code. A code is never renamed and never gets another meaning: clients switch on it. */
export interface ErrorRow {
  /** HTTP status of an answer with this code; default 400. */
  status?: number;
  /** Default `invalid_request`. */
  type?: ErrorType;
  /** What the page of error codes says, where the name of the code does not say it all. Names of members and options stand in backticks. */
  meaning?: string;
  /**
   * The texts that come with it, by the case that each is for; `{name}` stands for a value. The codes of single members and parameters
   * have none of their own: see `shared`.
   */
  messages?: Readonly<Record<string, string>>;
}

export type ErrorRows = Readonly<Record<string, ErrorRow>>;
