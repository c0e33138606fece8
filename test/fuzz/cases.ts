import type { FuzzRequest } from './requests.js';

/** Requests that were once answered wrongly, each with what was wrong. */
export const CASES: readonly (FuzzRequest & { name: string })[] = [];
