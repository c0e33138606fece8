import { ERROR_TYPES, ERRORS } from '../../../bindings/error-table/table.js';
import { CHAT_SOURCES } from '../../chats/settings.js';
import { FEATURES } from '../../options/features.js';
import { TASK_STATUSES, TASK_TYPES } from '../../tasks/task-types.js';

/** Schemas of answers: the components of the OpenAPI description. */

type Schema = Record<string, unknown>;

const TEXT = { type: 'string' };
const FLAG = { type: 'boolean' };
const COUNT = { type: 'integer', minimum: 0 };
const NUMBER = { type: 'number' };
const ANY = {};
const OBJECT = { type: 'object' };
const DATE = { type: 'string', format: 'date-time' };
const UUID = { type: 'string', format: 'uuid' };
const SIZE = { type: ['integer', 'string'], description: 'Bytes, or a text with a unit where `sizeFormat` is `human`.' };
const DURATION = { type: ['string', 'null'], description: 'ISO 8601; null until it has ended.' };

export const ref = (name: string): Schema => ({ $ref: `#/components/schemas/${name}` });
export const arrayOf = (items: Schema): Schema => ({ type: 'array', items });
const orNull = (schema: Schema): Schema => ({ anyOf: [schema, { type: 'null' }] });
const mapOf = (values: Schema): Schema => ({ type: 'object', additionalProperties: values });

/** An object schema; `optional` names the members that may be absent. */
function object(properties: Schema, ...optional: string[]): Schema {
  return { type: 'object', properties, required: Object.keys(properties).filter((name) => !optional.includes(name)) };
}

function list(item: string, ...others: [string, Schema][]): Schema {
  return object({ results: arrayOf(ref(item)), ...Object.fromEntries(others) });
}

const PAGE: [string, Schema][] = [
  ['offset', COUNT],
  ['limit', COUNT],
  ['total', COUNT],
];
const UID_PAGE: [string, Schema][] = [
  ['total', COUNT],
  ['limit', COUNT],
  ['from', orNull(COUNT)],
  ['next', orNull(COUNT)],
];

const TASK_TIMES = { enqueuedAt: DATE, startedAt: orNull(DATE), finishedAt: orNull(DATE) };

/** Members of search answers that describe the page: either the first or the second set is present. */
const COUNTS = {
  offset: COUNT,
  limit: COUNT,
  estimatedTotalHits: COUNT,
  page: COUNT,
  hitsPerPage: COUNT,
  totalPages: COUNT,
  totalHits: COUNT,
};
const FACETS = {
  facetDistribution: mapOf(mapOf(COUNT)),
  facetStats: mapOf(object({ min: NUMBER, max: NUMBER })),
};
const ASKED = { semanticHitCount: COUNT, requestUid: UUID, metadata: OBJECT, performanceDetails: mapOf(TEXT) };
const ONE_SEARCH = {
  hits: arrayOf(ref('Hit')),
  query: TEXT,
  processingTimeMs: COUNT,
  ...COUNTS,
  ...FACETS,
  ...ASKED,
};
const ALWAYS = ['indexUid', 'hits', 'query', 'processingTimeMs', 'requestUid'];

/** The schema of a search answer, in which most members depend on the request. */
function searchAnswer(properties: Schema): Schema {
  return object(properties, ...Object.keys(properties).filter((name) => !ALWAYS.includes(name)));
}

export const SCHEMAS: Record<string, Schema> = {
  Error: object({
    message: TEXT,
    code: { type: 'string', enum: Object.keys(ERRORS) },
    type: { type: 'string', enum: ERROR_TYPES },
    link: TEXT,
  }),
  SummarizedTask: object(
    {
      taskUid: COUNT,
      indexUid: orNull(TEXT),
      status: { const: 'enqueued' },
      type: { type: 'string', enum: TASK_TYPES },
      enqueuedAt: DATE,
      customMetadata: TEXT,
    },
    'customMetadata',
  ),
  Task: object(
    {
      uid: COUNT,
      batchUid: orNull(COUNT),
      indexUid: orNull(TEXT),
      status: { type: 'string', enum: TASK_STATUSES },
      type: { type: 'string', enum: TASK_TYPES },
      canceledBy: orNull(COUNT),
      details: OBJECT,
      error: orNull(ref('Error')),
      duration: DURATION,
      ...TASK_TIMES,
      customMetadata: TEXT,
    },
    'details',
    'customMetadata',
  ),
  TaskList: list('Task', ...UID_PAGE),
  Batch: object({
    uid: COUNT,
    progress: orNull(object({ steps: arrayOf(ref('ProgressStep')), percentage: NUMBER, timeLeft: TEXT }, 'timeLeft')),
    details: OBJECT,
    stats: object(
      {
        totalNbTasks: COUNT,
        status: mapOf(COUNT),
        types: mapOf(COUNT),
        indexUids: mapOf(COUNT),
        embedderRequests: object({ total: COUNT, failed: COUNT, lastError: TEXT }, 'lastError'),
        progressTrace: mapOf(TEXT),
        writeChannelCongestion: OBJECT,
        internalDatabaseSizes: mapOf(TEXT),
      },
      'embedderRequests',
      'progressTrace',
      'writeChannelCongestion',
      'internalDatabaseSizes',
    ),
    duration: DURATION,
    startedAt: DATE,
    finishedAt: orNull(DATE),
    batchStrategy: TEXT,
  }),
  ProgressStep: object({ currentStep: TEXT, finished: COUNT, total: COUNT }),
  BatchList: list('Batch', ...UID_PAGE),
  Index: object({ uid: TEXT, createdAt: DATE, updatedAt: DATE, primaryKey: orNull(TEXT) }),
  IndexList: list('Index', ...PAGE),
  IndexStats: object(
    {
      numberOfDocuments: COUNT,
      rawDocumentDbSize: SIZE,
      avgDocumentSize: SIZE,
      isIndexing: FLAG,
      internalDatabaseSizes: mapOf(SIZE),
      segments: object({
        count: COUNT,
        documents: COUNT,
        deletedDocuments: COUNT,
        fileSize: SIZE,
        memorySize: SIZE,
        isMerging: FLAG,
        merges: COUNT,
        mergedDocuments: COUNT,
        mergeSeconds: NUMBER,
        rebuilds: mapOf(COUNT),
      }),
      numberOfEmbeddings: COUNT,
      numberOfEmbeddedDocuments: COUNT,
      fieldDistribution: mapOf(COUNT),
    },
    'internalDatabaseSizes',
    'segments',
  ),
  Stats: object({
    databaseSize: SIZE,
    usedDatabaseSize: SIZE,
    lastUpdate: orNull(DATE),
    indexes: mapOf(ref('IndexStats')),
  }),
  Field: OBJECT,
  FieldList: list('Field', ...PAGE),
  Document: { type: 'object', description: 'A document as stored, or as much of it as was asked for.' },
  DocumentList: list('Document', ...PAGE),
  Hit: {
    type: 'object',
    properties: {
      _formatted: OBJECT,
      _matchesPosition: mapOf(arrayOf(object({ start: COUNT, length: COUNT, indices: arrayOf(COUNT) }, 'indices'))),
      _rankingScore: NUMBER,
      _rankingScoreDetails: OBJECT,
      _geoDistance: COUNT,
      geoDistance: COUNT,
      _vectors: OBJECT,
    },
    additionalProperties: true,
  },
  SearchAnswer: searchAnswer({ ...ONE_SEARCH, cursor: orNull(TEXT) }),
  MultiSearchAnswer: object({ results: arrayOf(searchAnswer({ indexUid: TEXT, ...ONE_SEARCH })) }),
  FederatedSearchAnswer: searchAnswer({
    hits: arrayOf(ref('FederatedHit')),
    processingTimeMs: COUNT,
    ...COUNTS,
    ...FACETS,
    facetsByIndex: mapOf(object({ distribution: FACETS.facetDistribution, stats: FACETS.facetStats })),
    ...ASKED,
    metadata: arrayOf(OBJECT),
    remoteErrors: mapOf(ref('Error')),
  }),
  FederatedHit: {
    allOf: [
      ref('Hit'),
      object({ _federation: object({ indexUid: TEXT, queriesPosition: COUNT, weightedRankingScore: NUMBER, remote: TEXT }) }),
    ],
  },
  SimilarAnswer: object({
    hits: arrayOf(ref('Hit')),
    id: TEXT,
    processingTimeMs: COUNT,
    limit: COUNT,
    offset: COUNT,
    estimatedTotalHits: COUNT,
  }),
  FacetSearchAnswer: object({
    facetHits: arrayOf(object({ value: TEXT, count: COUNT })),
    facetQuery: orNull(TEXT),
    processingTimeMs: COUNT,
  }),
  Key: object({
    name: orNull(TEXT),
    description: orNull(TEXT),
    key: TEXT,
    uid: UUID,
    actions: arrayOf(TEXT),
    indexes: arrayOf(TEXT),
    expiresAt: orNull(DATE),
    createdAt: DATE,
    updatedAt: DATE,
  }),
  KeyList: list('Key', ...PAGE),
  Webhook: object({ uuid: UUID, isEditable: FLAG, url: TEXT, headers: mapOf(TEXT) }),
  WebhookList: list('Webhook'),
  Network: object({
    self: orNull(TEXT),
    remotes: mapOf(
      object({
        url: TEXT,
        searchApiKey: orNull(TEXT),
        writeApiKey: orNull(TEXT),
        status: { enum: ['available', 'unavailable'] },
      }),
    ),
    shards: mapOf(object({ remotes: arrayOf(TEXT) })),
    leader: orNull(TEXT),
    version: UUID,
  }),
  ChatWorkspace: object({ uid: TEXT }),
  ChatWorkspaceList: list('ChatWorkspace', ...PAGE),
  ChatWorkspaceSettings: object({
    source: { enum: CHAT_SOURCES },
    orgId: orNull(TEXT),
    projectId: orNull(TEXT),
    apiVersion: orNull(TEXT),
    deploymentId: orNull(TEXT),
    baseUrl: orNull(TEXT),
    apiKey: orNull(TEXT),
    prompts: mapOf(TEXT),
  }),
  SearchRule: object(
    {
      uid: TEXT,
      description: TEXT,
      lastUpdatedAt: DATE,
      precedence: COUNT,
      active: FLAG,
      conditions: OBJECT,
      actions: arrayOf(OBJECT),
    },
    'description',
    'precedence',
  ),
  SearchRuleList: list('SearchRule', ...PAGE),
  RenderedTemplate: object({ template: {}, rendered: {} }),
  Features: object(Object.fromEntries(FEATURES.map((name) => [name, FLAG]))),
  Version: object({ commitSha: TEXT, commitDate: TEXT, pkgVersion: TEXT, peregrineVersion: TEXT }),
  Health: object({ status: { const: 'available' } }),
  Status: object({ status: TEXT }),
  QueueCompaction: object({ preSize: TEXT, postSize: TEXT, status: { const: 'succeeded' } }),
  Any: ANY,
};
