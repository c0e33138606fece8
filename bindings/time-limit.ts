/** A time limit for filters and facets: what remains then is skipped, and the answer is marked as degraded. */
export interface TimeLimit {
  /** Milliseconds on the engine's clock, which is also that of sessions. */
  deadline: number;
  /** Called when the time is up before everything is done. */
  onTimeout(): void;
}

/** No limit. */
export const NO_LIMIT: TimeLimit = { deadline: Number.POSITIVE_INFINITY, onTimeout: () => {} };
