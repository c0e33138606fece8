export const ERROR_TYPES = ['invalid_request', 'auth', 'internal', 'system'] as const;
export type ErrorType = (typeof ERROR_TYPES)[number];

/** The definition of an error code. Codes are never renamed or reused with another meaning, because clients depend on them. */
export interface ErrorRow {
  /** HTTP status of answers with this code; default 400. */
  status?: number;
  /** Default `invalid_request`. */
  type?: ErrorType;
  /**
   * The text in the reference of error codes, if the name does not say everything. Names of members and options are in backticks.
   */
  meaning?: string;
  /**
   * Message templates by case; `{name}` stands for a value. Codes of single members and parameters use the templates in `shared`.
   */
  messages?: Readonly<Record<string, string>>;
}

export type ErrorRows = Readonly<Record<string, ErrorRow>>;
