import { own } from '../own.js';
import { DOCUMENTS, INDEXES, SETTINGS } from './indexes.js';
import { API_KEYS, AUTHENTICATION, REQUESTS } from './requests.js';
import type { ErrorRow, ErrorRows, ErrorType } from './row.js';
import { FACET_SEARCH, MULTI_SEARCH, SEARCH, SEARCH_RULES, SIMILAR } from './search.js';
import { CHATS, NETWORK, RENDERING } from './services.js';
import { DUMPS, EXPORT, STORAGE, TASKS, WEBHOOKS } from './tasks.js';

export { ERROR_TYPES, type ErrorType } from './row.js';

/** All codes, by section of the reference page. */
export const ERROR_SECTIONS: readonly { title: string; rows: ErrorRows }[] = [
  { title: 'Requests in general', rows: REQUESTS },
  { title: 'Authentication', rows: AUTHENTICATION },
  { title: 'API keys', rows: API_KEYS },
  { title: 'Indexes, swaps, statistics and fields', rows: INDEXES },
  { title: 'Documents', rows: DOCUMENTS },
  { title: 'Search', rows: SEARCH },
  { title: 'Facet search', rows: FACET_SEARCH },
  { title: 'Similar documents', rows: SIMILAR },
  { title: 'Multi-search', rows: MULTI_SEARCH },
  { title: 'Settings', rows: SETTINGS },
  { title: 'Tasks and batches', rows: TASKS },
  { title: 'Storage and system', rows: STORAGE },
  { title: 'Dumps, snapshots', rows: DUMPS },
  { title: 'Export', rows: EXPORT },
  { title: 'Webhooks', rows: WEBHOOKS },
  { title: 'Dynamic search rules', rows: SEARCH_RULES },
  { title: 'Template rendering', rows: RENDERING },
  { title: 'Chat completions', rows: CHATS },
  { title: 'Network and remotes', rows: NETWORK },
];

/** All codes. */
export const ERRORS = {
  ...REQUESTS,
  ...AUTHENTICATION,
  ...API_KEYS,
  ...INDEXES,
  ...DOCUMENTS,
  ...SEARCH,
  ...FACET_SEARCH,
  ...SIMILAR,
  ...MULTI_SEARCH,
  ...SETTINGS,
  ...TASKS,
  ...STORAGE,
  ...DUMPS,
  ...EXPORT,
  ...WEBHOOKS,
  ...SEARCH_RULES,
  ...RENDERING,
  ...CHATS,
  ...NETWORK,
};

/** An unknown code is a bug. */
const UNKNOWN: ErrorRow = { status: 500, type: 'internal' };

function rowOf(code: string): ErrorRow {
  return own(ERRORS as ErrorRows, code) ?? UNKNOWN;
}

export function errorStatus(code: string): number {
  return rowOf(code).status ?? 400;
}

export function errorType(code: string): ErrorType {
  return rowOf(code).type ?? 'invalid_request';
}

export interface ErrorBody {
  message: string;
  code: string;
  type: ErrorType;
  link: string;
}

/** The body of an error answer, and the member `error` of a failed task. */
export function errorBody(code: string, message: string): ErrorBody {
  return { message, code, type: errorType(code), link: `/docs/errors#${code}` };
}
