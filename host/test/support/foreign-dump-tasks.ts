/** The tasks and batches of the foreign dump. */

/** A date of the dump. */
export const T = (second: number) => `2026-03-01T08:00:${String(second).padStart(2, '0')}.123456789Z`;
/** The set of uids 0 and 1 as a portable Roaring bitmap. */
const UIDS_0_1 = [58, 48, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0, 16, 0, 0, 0, 0, 0, 1, 0];

interface DumpedTask {
  uid: number;
  [member: string]: unknown;
}

const finished = (uid: number, type: unknown, details: unknown, members: object = {}): DumpedTask => ({
  uid,
  batchUid: uid,
  indexUid: null,
  status: 'succeeded',
  type,
  canceledBy: null,
  details,
  error: null,
  enqueuedAt: T(uid),
  startedAt: T(uid + 1),
  finishedAt: T(uid + 2),
  network: null,
  customMetadata: null,
  ...members,
});

const enqueued = (uid: number, type: unknown, details: unknown, members: object = {}): DumpedTask => ({
  ...finished(uid, type, details, members),
  batchUid: null,
  status: 'enqueued',
  startedAt: null,
  finishedAt: null,
  ...members,
});

const documentImport = (count: number, members: object = {}) => ({
  documentImport: {
    primary_key: null,
    method: 'ReplaceDocuments',
    documents_count: count,
    allow_index_creation: true,
    on_missing_document: 'create',
    ...members,
  },
});

const received = (received_documents: number, indexed_documents: number | null) => ({
  DocumentAdditionOrUpdate: { received_documents, indexed_documents },
});

export const NOT_FOUND = {
  message: 'Index `gone` not found.',
  code: 'index_not_found',
  type: 'invalid_request',
  link: 'https://example.org/errors#index_not_found',
};

export const TASKS: DumpedTask[] = [
  finished(0, documentImport(3), received(3, 3), { indexUid: 'movies', customMetadata: 'nightly' }),
  finished(
    1,
    { settings: { settings: { rankingRules: ['words'] }, is_deletion: false, allow_index_creation: true } },
    { SettingsUpdate: { settings: { rankingRules: ['words'] } } },
    { indexUid: 'movies' },
  ),
  finished(2, 'indexDeletion', { ClearAll: { deleted_documents: 0 } }, { indexUid: 'gone', status: 'failed', error: NOT_FOUND }),
  finished(
    3,
    { documentDeletion: { documents_ids: ['7', '8'] } },
    { DocumentDeletion: { provided_ids: 2, deleted_documents: 1 } },
    { indexUid: 'movies' },
  ),
  finished(
    4,
    { documentDeletionByFilter: { filter: 'year > 3000' } },
    { DocumentDeletionByFilter: { original_filter: '"year > 3000"', deleted_documents: 0 } },
    { indexUid: 'movies' },
  ),
  finished(5, 'documentClear', { ClearAll: { deleted_documents: 4 } }, { indexUid: 'books' }),
  finished(6, { indexCreation: { primary_key: 'isbn' } }, { IndexInfo: { primary_key: 'isbn' } }, { indexUid: 'books' }),
  finished(
    7,
    { indexUpdate: { primary_key: null, uid: null } },
    { IndexInfo: { primary_key: null, new_index_uid: null, old_index_uid: null } },
    { indexUid: 'books' },
  ),
  finished(
    8,
    { indexSwap: { swaps: [{ indexes: ['movies', 'books'] }] } },
    { IndexSwap: { swaps: [{ indexes: ['movies', 'books'] }] } },
  ),
  finished(
    9,
    { taskCancelation: { query: '?statuses=enqueued', tasks: UIDS_0_1 } },
    { TaskCancelation: { matched_tasks: 2, canceled_tasks: 1, original_filter: '?statuses=enqueued' } },
  ),
  finished(10, documentImport(1), received(1, 0), { indexUid: 'movies', status: 'canceled', canceledBy: 9 }),
  finished(
    11,
    { tasksDeletion: { query: '?uids=99', tasks: UIDS_0_1 } },
    { TaskDeletion: { matched_tasks: 0, deleted_tasks: 0, original_filter: '?uids=99' } },
  ),
  finished(12, 'snapshotCreation', null),
  finished(
    13,
    { export: { url: 'http://target', api_key: null, payload_size: null, indexes: {} } },
    { Export: { url: 'http://target', api_key: null, payload_size: null, indexes: {} } },
  ),
  finished(14, { upgradeDatabase: { from: [1, 49, 0] } }, { UpgradeDatabase: { from: [1, 49, 0], to: [1, 50, 0] } }),
  finished(
    15,
    { indexCompaction: { index_uid: 'movies' } },
    { IndexCompaction: { index_uid: 'movies', pre_compaction_size: '2 MiB', post_compaction_size: '1 MiB' } },
    { indexUid: 'movies' },
  ),
  finished(
    16,
    { documentEdition: { filter: null, context: null, function: 'doc.x = 1' } },
    {
      DocumentEdition: { deleted_documents: 0, edited_documents: 3, original_filter: null, context: null, function: 'doc.x = 1' },
    },
    { indexUid: 'movies' },
  ),
  finished(17, { networkTopologyChange: {} }, { NetworkTopologyChange: { moved_documents: 0, message: 'done' } }),
  finished(18, 'dsrClear', { DsrClear: { deleted_documents: 0 } }),
  // a task that was running when the dump was made, and waiting ones
  enqueued(19, documentImport(2), received(2, null), { indexUid: 'movies', status: 'processing', startedAt: T(30) }),
  enqueued(20, documentImport(1, { method: 'UpdateDocuments', primary_key: 'id' }), received(1, null), { indexUid: 'movies' }),
  enqueued(
    21,
    {
      settings: { settings: { synonyms: { film: ['movie'] }, stopWords: null }, is_deletion: false, allow_index_creation: true },
    },
    { SettingsUpdate: { settings: { synonyms: { film: ['movie'] }, stopWords: null } } },
    { indexUid: 'movies' },
  ),
  enqueued(
    22,
    { documentDeletion: { documents_ids: ['1'] } },
    { DocumentDeletion: { provided_ids: 1, deleted_documents: null } },
    { indexUid: 'movies' },
  ),
  enqueued(23, { indexCreation: { primary_key: null } }, { IndexInfo: { primary_key: null } }, { indexUid: 'fresh' }),
  finished(24, { dumpCreation: { keys: [], instance_uid: null } }, { Dump: { dump_uid: null } }, { batchUid: null }),
];

export const BATCHES = [
  {
    uid: 0,
    progress: null,
    details: { receivedDocuments: 3, indexedDocuments: 3 },
    stats: {
      totalNbTasks: 1,
      status: { succeeded: 1 },
      types: { documentAdditionOrUpdate: 1 },
      indexUids: { movies: 1 },
      progressTrace: { 'processing tasks > indexing': '120.41ms', 'processing tasks': '151.90ms' },
      writeChannelCongestion: { attempts: 12, blocking_attempts: 0, blocking_ratio: 0 },
      internalDatabaseSizes: { documents: '1.25 MiB (+320.00 KiB)' },
    },
    embedderStats: { totalCount: 0, errorCount: 0, lastError: null },
    startedAt: T(1),
    finishedAt: T(2),
    enqueuedAt: { earliest: T(0), oldest: T(0) },
    stopReason: 'batched all enqueued tasks',
  },
  {
    uid: 2,
    details: { deletedDocuments: 0 },
    stats: { totalNbTasks: 1, status: { failed: 1 }, types: { indexDeletion: 1 }, indexUids: { gone: 1 } },
    startedAt: T(3),
    finishedAt: T(4),
  },
];
