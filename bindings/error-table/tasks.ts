import type { ErrorRows } from './row.js';

/** Errors about tasks, storage, dumps, snapshots and exports. */

export const TASKS = {
  task_not_found: { status: 404, messages: { notFound: 'Task {uid} not found.' } },
  task_file_not_found: { status: 404, messages: { noDocuments: 'Task {uid} has no stored documents.' } },
  batch_not_found: { status: 404, messages: { notFound: 'Batch {uid} not found.' } },
  missing_task_filters: {
    meaning: 'At least one filter is required to select tasks.',
    messages: { needed: 'At least one of these parameters is required to select tasks: {parameters}.' },
  },
  invalid_task_uids: {},
  invalid_batch_uids: {},
  invalid_task_canceled_by: {},
  invalid_task_statuses: {},
  invalid_task_types: {},
  invalid_task_limit: {},
  invalid_task_from: {},
  invalid_task_reverse: {},
  invalid_task_after_enqueued_at: {},
  invalid_task_after_started_at: {},
  invalid_task_after_finished_at: {},
  invalid_task_before_enqueued_at: {},
  invalid_task_before_started_at: {},
  invalid_task_before_finished_at: {},
  unretrievable_error_code: { meaning: 'The code of a failed task is not known. Reserved for tasks that another version wrote.' },
} as const satisfies ErrorRows;

export const STORAGE = {
  database_size_limit_reached: { status: 500, type: 'internal', meaning: 'The database can grow no further.' },
  no_space_left_on_device: {
    status: 422,
    type: 'system',
    meaning: 'The disk or the queue of tasks is full.',
    messages: {
      diskFull: 'The disk is full: {reason}',
      readOnly: 'The disk is full: the database can only be read.',
      queue:
        'The queue has {bytes} of tasks, and accepts no more from {limit} on: delete tasks that have ended (DELETE /tasks?statuses=succeeded,failed,canceled).',
    },
  },
  too_many_open_files: {
    status: 422,
    type: 'system',
    meaning: 'The system allows no more open files.',
    messages: { files: 'The system refuses to open more files: {reason}' },
  },
  io_error: {
    status: 422,
    type: 'system',
    meaning: 'Reading or writing the database failed.',
    messages: {
      damagedDocuments: 'Documents of segment {segment} are damaged: `peregrine check` says more.',
      database: 'Reading or writing the database failed: {reason}',
      damagedIndex:
        'The index `{uid}` cannot be read: {reason}. Stop the server and run `peregrine check` and `peregrine repair`.',
    },
  },
  invalid_store_file: { status: 500, type: 'internal', meaning: 'A file of the database cannot be read or has another format.' },
  invalid_state: { status: 500, type: 'internal' },
} as const satisfies ErrorRows;

export const DUMPS = {
  dump_already_processing: { meaning: 'A dump is being made. Reserved: this server queues dumps.', status: 409 },
  dump_not_found: { status: 404 },
  dump_process_failed: {
    meaning: 'A dump could not be made. Reserved: the task has the code of the cause.',
    status: 500,
    type: 'internal',
  },
  invalid_s3_snapshot_request: { type: 'internal' },
  invalid_s3_snapshot_parameters: { type: 'internal' },
  s3_snapshot_server_error: {
    meaning: 'The store for snapshots failed. Reserved: this server does not upload snapshots.',
    status: 502,
    type: 'internal',
  },
} as const satisfies ErrorRows;

export const EXPORT = {
  invalid_export_url: {},
  invalid_export_api_key: {},
  invalid_export_payload_size: {},
  invalid_export_index_filter: {},
  invalid_export_index_override_settings: {},
  invalid_export_indexes_patterns: {},
} as const satisfies ErrorRows;

export const WEBHOOKS = {
  webhook_not_found: { status: 404, messages: { notFound: 'Webhook `{uuid}` not found.' } },
  invalid_webhooks: { messages: { tooMany: 'There are {count} webhooks already, and {most} is the most there can be.' } },
  invalid_webhook_url: {
    messages: {
      missing: 'The webhook `{uuid}` has no `url`: it must be the address to notify.',
      empty: 'The `url` of the webhook `{uuid}` is empty.',
      problem: 'The `url` of the webhook, `{url}`, {problem}.',
    },
  },
  invalid_webhook_headers: {
    messages: {
      headers: 'The webhook `{uuid}` can have {most} headers at most, not {count}.',
      header: 'The header `{name}` of the webhook cannot be sent: {problem}.',
    },
  },
  invalid_webhook_uuid: { messages: { form: '`{text}` in the path is not the UUID of a webhook.' } },
  immutable_webhook: { messages: { reserved: 'Webhook `{uuid}` comes from the launch options: requests cannot change it.' } },
  immutable_webhook_uuid: {},
  immutable_webhook_is_editable: {},
} as const satisfies ErrorRows;
