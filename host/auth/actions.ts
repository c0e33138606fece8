/** The actions that a key needs for a route: all of a list. `null`: {@link OPEN}. */
export type Action = string | readonly string[] | null;

/** Stands for routes that only the master key opens: no API key can hold this action. */
export const MASTER_KEY_ONLY = 'master key';

/**
 * Routes that need no key even in production, because they reveal nothing about the data: health checks of load balancers, and
 * the page that error links lead to.
 */
export const OPEN = null;
