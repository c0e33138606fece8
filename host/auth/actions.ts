/** What a key must be allowed to do for a route, all of a list; `null`: {@link OPEN}. */
export type Action = string | readonly string[] | null;

/** The action that no key has. */
export const MASTER_KEY_ONLY = 'master key';

/**
 * No key is needed, in production neither: for routes that say nothing of what the service holds. Load balancers and clients ask
 * whether it lives before they have a key, and errors link to the page that explains them.
 */
export const OPEN = null;
