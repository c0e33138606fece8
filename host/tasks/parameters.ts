import { INDEX_UID } from '../../bindings/query/index-uid.js';
import { BOOLEAN, commaList, STRING } from '../../bindings/query/request-values.js';
import { absent, defaulted, fromText, type Kind, listed, type Member, type MemberTable } from '../../bindings/query/validate.js';
import { parseMoment } from '../time/moments.js';
import type { TaskFilter } from './filters.js';
import { TASK_STATUSES, TASK_TYPES } from './task-types.js';

/** The query parameters of the lists of tasks and batches, and of the cancelation and deletion of tasks. */

/** A string that the client attaches to its task. */
export const CUSTOM_METADATA = absent(STRING, 'invalid_index_custom_metadata');

const MAX_U32 = 2 ** 32 - 1;
const DAY = 86_400_000_000;

export const UID: Kind<number> = fromText({ type: 'integer', minimum: 0, maximum: MAX_U32 }, (text, at) => {
  const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  return value <= MAX_U32 ? value : at.refuse(`an integer from 0 to ${MAX_U32}`, text);
});

/** One of several names, in any letter case. */
function nameOf<T extends string>(names: readonly T[]): Kind<T> {
  return fromText(
    { type: 'string', enum: names },
    (text, at) => names.find((name) => name.toLowerCase() === text.toLowerCase()) ?? at.refuse(`one of ${listed(names)}`, text),
  );
}

/** A comma-separated list. `*` among the items means no restriction; the other items are validated all the same. */
function listOf<T>(item: Kind<T>, code: string): Member<T[] | undefined> {
  const kind = fromText({ type: 'array', items: item.schema ?? {} }, (text, at) => {
    const items = commaList(text);
    const read = items.flatMap((one, i) => (one === '*' ? [] : [item.text(one, items.length > 1 ? at.item(i) : at)]));
    return items.includes('*') ? undefined : read;
  });
  return absent(kind, code);
}

/** A date; `after` a whole day means from the next day on. `*` means no restriction. */
function date(code: string, after: boolean): Member<number | undefined> {
  const kind = fromText({ type: 'string', format: 'date-time' }, (text, at) => {
    if (text === '*') return undefined;
    const parsed = parseMoment(text);
    if (!parsed)
      return at.refuse('a date such as `2030-01-31`, or a date and time with an offset such as `2030-01-31T09:30:00Z`', text);
    return parsed.moment + (after && parsed.wholeDay ? DAY : 0);
  });
  return absent(kind, code);
}

const TYPES = listOf(nameOf(TASK_TYPES), 'invalid_task_types');
const STATUSES = listOf(nameOf(TASK_STATUSES), 'invalid_task_statuses');
const UIDS = listOf(UID, 'invalid_task_uids');
const BATCH_UIDS = listOf(UID, 'invalid_batch_uids');
const CANCELED_BY = listOf(UID, 'invalid_task_canceled_by');
const INDEX_UIDS = listOf(INDEX_UID, 'invalid_index_uid');

const AFTER_ENQUEUED = date('invalid_task_after_enqueued_at', true);
const BEFORE_ENQUEUED = date('invalid_task_before_enqueued_at', false);
const AFTER_STARTED = date('invalid_task_after_started_at', true);
const BEFORE_STARTED = date('invalid_task_before_started_at', false);
const AFTER_FINISHED = date('invalid_task_after_finished_at', true);
const BEFORE_FINISHED = date('invalid_task_before_finished_at', false);

type Filter = { [K in keyof TaskFilter]-?: TaskFilter[K] | undefined };

const SHARED_PARAMETERS: MemberTable<Omit<Filter, 'uids' | 'batchUids'>> = {
  canceledBy: CANCELED_BY,
  types: TYPES,
  statuses: STATUSES,
  indexUids: INDEX_UIDS,
  afterEnqueuedAt: AFTER_ENQUEUED,
  beforeEnqueuedAt: BEFORE_ENQUEUED,
  afterStartedAt: AFTER_STARTED,
  beforeStartedAt: BEFORE_STARTED,
  afterFinishedAt: AFTER_FINISHED,
  beforeFinishedAt: BEFORE_FINISHED,
};

// In the order in which errors are reported.
export const PAGE_PARAMETERS: MemberTable<{ limit: number; from: number | null; reverse: boolean } & Filter> = {
  limit: defaulted(UID, 'invalid_task_limit', 20),
  from: { kind: UID, code: 'invalid_task_from', initial: null },
  reverse: defaulted(BOOLEAN, 'invalid_task_reverse', false),
  batchUids: BATCH_UIDS,
  uids: UIDS,
  ...SHARED_PARAMETERS,
};

export const FILTER_PARAMETERS: MemberTable<Filter> = { uids: UIDS, batchUids: BATCH_UIDS, ...SHARED_PARAMETERS };
