import { apiError } from '../errors.js';
import { isDocumentId, MAX_ID_BYTES } from './document-id.js';
import { JsonNumber, type JsonValue, plainValue } from './json.js';
import { BOOLEAN, commaList, FILTER_SCHEMA, jsonOf, SORT_ITEMS, STRINGS, UNSIGNED } from './request-values.js';
import { parseSort, type SortItem } from './sort.js';
import { defaulted, type Kind, optional, shown, type ValuesOf } from './validate.js';

const MIN_INTEGER = -(2n ** 63n);
const MAX_INTEGER = 2n ** 64n - 1n;

const starred = (names: string[] | null) => (names?.includes('*') ? null : names);

const FIELDS: Kind<string[] | null> = {
  schema: { type: ['array', 'null'], items: { type: 'string' } },
  json: (value, at) => starred(value === null ? null : STRINGS.json(value, at)),
  text: (text, at) => starred(STRINGS.text(text, at)),
};

const IDS: Kind<JsonValue[]> = {
  schema: { type: 'array', items: { type: ['string', 'integer'] } },
  json: (value, at) => (Array.isArray(value) ? value : at.refuse('an array of strings and integers', value)),
  text: commaList,
};

const FILTER: Kind<unknown> = {
  schema: FILTER_SCHEMA,
  json: plainValue,
  text: (text, at) => {
    const value = jsonOf(text);
    if (value === null) return at.refuse('a filter expression, or an array in JSON', text);
    return value === undefined ? text : value;
  },
};

export const DOCUMENT_MEMBERS = {
  /** null: all fields. */
  fields: defaulted(FIELDS, 'invalid_document_fields', null),
  retrieveVectors: defaulted(BOOLEAN, 'invalid_document_retrieve_vectors', false),
  useNetwork: optional(BOOLEAN, 'invalid_document_use_network'),
};

export const FETCH_MEMBERS = {
  offset: defaulted(UNSIGNED, 'invalid_document_offset', 0),
  limit: defaulted(UNSIGNED, 'invalid_document_limit', 20),
  fields: DOCUMENT_MEMBERS.fields,
  retrieveVectors: DOCUMENT_MEMBERS.retrieveVectors,
  /** Not yet validated. */
  ids: optional(IDS, 'invalid_document_ids'),
  /** JSON as sent: the filter parser validates it. */
  filter: optional(FILTER, 'invalid_document_filter'),
  sort: optional(SORT_ITEMS, 'invalid_document_sort'),
  useNetwork: DOCUMENT_MEMBERS.useNetwork,
};

/** A request for one document. */
export type DocumentRequest = ValuesOf<typeof DOCUMENT_MEMBERS>;

/** A request for documents as sent; null stands for absent members. */
export type FetchRequest = ValuesOf<typeof FETCH_MEMBERS>;

/** A request for documents after all checks that need no index. */
export interface PreparedFetch extends Omit<FetchRequest, 'ids' | 'sort'> {
  /** Document keys as strings. */
  ids: string[] | null;
  sort: SortItem[];
}

/**
 * Makes the checks that precede the look-up of the index: ids, then the syntax of `sort`.
 * @throws ApiError invalid_document_ids, invalid_document_sort
 */
export function prepareFetch(request: FetchRequest): PreparedFetch {
  const ids = request.ids?.map(documentKey) ?? null;
  return { ...request, ids, sort: request.sort ? parseSort(request.sort, 'invalid_document_sort') : [] };
}

/** @throws ApiError feature_not_enabled */
export function checkNetwork(request: Pick<FetchRequest, 'useNetwork'>, network: boolean): void {
  if (!request.useNetwork || network) return;
  throw apiError('feature_not_enabled', 'useNetwork');
}

function documentKey(id: JsonValue, position: number): string {
  if (typeof id === 'string' && isDocumentId(id)) return id;
  if (id instanceof JsonNumber && isIntegerId(id)) return id.text;
  const form = `an integer or a string of 1 to ${MAX_ID_BYTES} bytes of letters, digits, \`-\` and \`_\``;
  throw apiError('invalid_document_ids', 'element', { position, form, found: shown(id) });
}

function isIntegerId(id: JsonNumber): boolean {
  if (!id.isInteger || id.text === '-0') return false;
  const value = BigInt(id.text);
  return value >= MIN_INTEGER && value <= MAX_INTEGER;
}
