import type { FuzzRequest } from './requests.js';

/** Requests that once had a wrong answer, each with the fault. */
export const CASES: readonly (FuzzRequest & { name: string })[] = [];
