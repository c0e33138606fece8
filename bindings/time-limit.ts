/** How long filters and facets may take: what is left then is given up, and the answer is degraded. */
export interface TimeLimit {
  /** Milliseconds on the clock of the engine, which is that of sessions. */
  deadline: number;
  /** The time was over before all was done. */
  onCut(): void;
}

/** All is done, however long it takes. */
export const NO_LIMIT: TimeLimit = { deadline: Number.POSITIVE_INFINITY, onCut: () => {} };
