import { CURSOR_SEARCH_MEMBERS } from '../../../bindings/query/cursor-request.js';
import { DOCUMENT_MEMBERS, FETCH_MEMBERS } from '../../../bindings/query/fetch-request.js';
import { MULTI_SEARCH_MEMBERS } from '../../../bindings/query/multi-search.js';
import { FACET_SEARCH_MEMBERS, SEARCH_PARAMETERS } from '../../../bindings/query/request.js';
import { SIMILAR_MEMBERS } from '../../../bindings/query/similar-request.js';
import { nullable, objectSchema, type Schema } from '../../../bindings/query/validate.js';
import { SETTINGS } from '../../index/settings/settings.js';
import { DELETE, DELETION, WRITE } from '../routes/documents.js';
import { EDITION, EDITION_PARAMETERS } from '../routes/edition.js';
import { FIELDS } from '../routes/fields.js';
import { INDEX_CREATION, INDEX_PAGE, INDEX_UPDATE } from '../routes/indexes.js';
import { STATS_PARAMETERS } from '../routes/stats.js';
import { PAIR } from '../routes/swap.js';
import { JSON_ANSWER, type Route, TASK } from './route.js';
import { arrayOf, ref } from './schemas.js';

const SETTINGS_READ = 'settings.get';
const SETTINGS_WRITE = 'settings.update';

const DOCUMENTS = {
  body: { anyOf: [ref('Document'), arrayOf(ref('Document'))] },
  types: ['application/json', 'application/x-ndjson', 'text/csv'],
  parameters: WRITE,
  answer: TASK,
};

export const SETTINGS_SCHEMA: Schema = {
  type: 'object',
  properties: Object.fromEntries(Object.entries(SETTINGS).map(([name, { kind }]) => [name, nullable(kind).schema])),
  additionalProperties: false,
};

/** The routes of indexes: searches, documents, settings. */
export const INDEX_ROUTES: Readonly<Record<string, Route>> = {
  'GET /indexes': {
    action: 'indexes.get',
    summary: 'List the indexes',
    parameters: INDEX_PAGE,
    answer: JSON_ANSWER('IndexList'),
  },
  'POST /indexes': { action: 'indexes.create', summary: 'Create an index', body: objectSchema(INDEX_CREATION), answer: TASK },
  'GET /indexes/:index_uid': { action: 'indexes.get', summary: 'Read an index', answer: JSON_ANSWER('Index') },
  'PATCH /indexes/:index_uid': {
    action: 'indexes.update',
    summary: 'Rename an index or set its primary key',
    body: objectSchema(INDEX_UPDATE),
    answer: TASK,
  },
  'DELETE /indexes/:index_uid': { action: 'indexes.delete', summary: 'Delete an index', answer: TASK },
  'GET /indexes/:index_uid/stats': {
    action: 'stats.get',
    summary: 'Read the statistics of an index',
    parameters: STATS_PARAMETERS,
    answer: JSON_ANSWER('IndexStats'),
  },
  'POST /indexes/:index_uid/fields': {
    action: 'fields.post',
    summary: 'List the fields of an index',
    body: objectSchema(FIELDS),
    answer: JSON_ANSWER('FieldList'),
  },
  'POST /indexes/:index_uid/compact': { action: 'indexes.compact', summary: 'Merge the segments of an index', answer: TASK },
  'POST /swap-indexes': { action: 'indexes.swap', summary: 'Swap indexes', body: arrayOf(objectSchema(PAIR)), answer: TASK },

  'GET /indexes/:index_uid/search': {
    action: 'search',
    summary: 'Search, with parameters in the query string',
    parameters: SEARCH_PARAMETERS,
    answer: JSON_ANSWER('SearchAnswer'),
  },
  'POST /indexes/:index_uid/search': {
    action: 'search',
    summary: 'Search',
    body: objectSchema(CURSOR_SEARCH_MEMBERS),
    answer: JSON_ANSWER('SearchAnswer'),
  },
  'POST /multi-search': {
    action: 'search',
    summary: 'Search several times at once, with an answer for each query or one list of hits',
    body: objectSchema(MULTI_SEARCH_MEMBERS),
    answer: [200, { anyOf: [ref('MultiSearchAnswer'), ref('FederatedSearchAnswer')] }],
  },
  'GET /indexes/:index_uid/similar': {
    action: 'search',
    summary: 'Find similar documents, with parameters in the query string',
    parameters: SIMILAR_MEMBERS,
    answer: JSON_ANSWER('SimilarAnswer'),
  },
  'POST /indexes/:index_uid/similar': {
    action: 'search',
    summary: 'Find similar documents',
    body: objectSchema(SIMILAR_MEMBERS),
    answer: JSON_ANSWER('SimilarAnswer'),
  },
  'POST /indexes/:index_uid/facet-search': {
    action: 'search',
    summary: 'Search the values of a facet',
    body: objectSchema(FACET_SEARCH_MEMBERS),
    answer: JSON_ANSWER('FacetSearchAnswer'),
  },

  'GET /indexes/:index_uid/documents': {
    action: 'documents.get',
    summary: 'Read documents',
    parameters: FETCH_MEMBERS,
    answer: JSON_ANSWER('DocumentList'),
  },
  'POST /indexes/:index_uid/documents/fetch': {
    action: 'documents.get',
    summary: 'Read documents, with parameters in the body',
    body: objectSchema(FETCH_MEMBERS),
    answer: JSON_ANSWER('DocumentList'),
  },
  'GET /indexes/:index_uid/documents/:document_id': {
    action: 'documents.get',
    summary: 'Read a document',
    parameters: DOCUMENT_MEMBERS,
    answer: JSON_ANSWER('Document'),
  },
  'POST /indexes/:index_uid/documents': { action: 'documents.add', summary: 'Add documents or replace them', ...DOCUMENTS },
  'PUT /indexes/:index_uid/documents': {
    action: 'documents.add',
    summary: 'Add documents or update their members',
    ...DOCUMENTS,
  },
  'POST /indexes/:index_uid/documents/edit': {
    action: 'documents.*',
    summary: 'Edit documents by a function in JavaScript',
    parameters: EDITION_PARAMETERS,
    body: objectSchema(EDITION),
    answer: TASK,
  },
  'DELETE /indexes/:index_uid/documents': {
    action: 'documents.delete',
    summary: 'Delete all documents',
    parameters: DELETE,
    answer: TASK,
  },
  'DELETE /indexes/:index_uid/documents/:document_id': {
    action: 'documents.delete',
    summary: 'Delete a document',
    parameters: DELETE,
    answer: TASK,
  },
  'POST /indexes/:index_uid/documents/delete-batch': {
    action: 'documents.delete',
    summary: 'Delete documents by their ids',
    parameters: DELETE,
    body: arrayOf({ type: ['string', 'integer'] }),
    answer: TASK,
  },
  'POST /indexes/:index_uid/documents/delete': {
    action: 'documents.delete',
    summary: 'Delete documents by a filter',
    parameters: DELETE,
    body: objectSchema(DELETION),
    answer: TASK,
  },

  'GET /indexes/:index_uid/settings': { action: SETTINGS_READ, summary: 'Read all settings', answer: JSON_ANSWER('Settings') },
  'PATCH /indexes/:index_uid/settings': {
    action: SETTINGS_WRITE,
    summary: 'Change settings',
    body: ref('Settings'),
    answer: TASK,
  },
  'DELETE /indexes/:index_uid/settings': { action: SETTINGS_WRITE, summary: 'Reset all settings', answer: TASK },
  ...settingRoutes(),
};

function settingRoutes(): Record<string, Route> {
  return Object.fromEntries(
    Object.entries(SETTINGS).flatMap(([name, { route, verb, kind }]): [string, Route][] => {
      const url = `/indexes/:index_uid/settings/${route}`;
      return [
        [`GET ${url}`, { action: SETTINGS_READ, summary: `Read the setting ${name}`, answer: [200, kind.schema ?? {}] }],
        [
          `${verb} ${url}`,
          { action: SETTINGS_WRITE, summary: `Change the setting ${name}`, body: nullable(kind).schema!, answer: TASK },
        ],
        [`DELETE ${url}`, { action: SETTINGS_WRITE, summary: `Reset the setting ${name}`, answer: TASK }],
      ];
    }),
  );
}
