import type { Moment } from '../../time/moments.js';
import type { TaskRecord } from '../task.js';
import type { BatchWaits, PlannedBatch } from './plan.js';

const MICROSECONDS = 1000;
/** A payload of this size is near the limit of one request, so more will probably follow; smaller ones are built at once. */
const LEAST_BYTES = 64 << 20;
/** What an index thread builds in a millisecond. */
const BYTES_PER_MS = 35_000;
/** A batch waits for payloads that are arriving up to this share of the time that building it will take. */
const WAITING_SHARE = 0.5;
/** Milliseconds after a payload in which a sender begins with the next one, and after which one that is arriving is looked for again. */
const PAUSE_MS = 250;

/** What decides how long batches wait. */
export interface GatheringFacts {
  /** Whether a payload for an index is being received. */
  isArriving(indexUid: string): boolean;
  /** Bytes of documents that make a segment of the largest size. */
  segmentBytes: number;
}

/** When a batch was first considered, and when it got its last task: monotonic milliseconds, as the wall clock can be set back. */
interface Wait {
  first: number;
  firstAt: number;
  last: number;
  lastAt: number;
}

/**
 * An import of several payloads is built as one batch: the documents of a batch are built together, and searches of one large
 * segment take less time than searches of several. So a large batch waits for the payloads that are on their way.
 */
export class Gathering implements BatchWaits {
  /** By index. */
  readonly #waits = new Map<string, Wait>();

  constructor(private readonly facts: GatheringFacts) {}

  remaining({ tasks, isOpen }: PlannedBatch, now: Moment, clock: number): number {
    const { isArriving, segmentBytes } = this.facts;
    const [first, last] = [tasks[0], tasks.at(-1)];
    if (!isOpen || !first || last?.work?.kind !== 'import' || first.indexUid === null) return 0;
    const bytes = tasks.reduce((sum, { work }) => sum + (work?.kind === 'import' ? work.bytes : 0), 0);
    if (bytes < LEAST_BYTES || bytes >= segmentBytes) return 0;
    const { firstAt, lastAt } = this.#wait(first.indexUid, first.uid, last.uid, clock);
    const since = ({ enqueuedAt }: TaskRecord, seenAt: number) => Math.max((now - enqueuedAt) / MICROSECONDS, clock - seenAt);
    const left = (bytes / BYTES_PER_MS) * WAITING_SHARE - since(first, firstAt);
    const untilNext = isArriving(first.indexUid) ? PAUSE_MS : PAUSE_MS - since(last, lastAt);
    return Math.max(0, Math.min(left, untilNext));
  }

  #wait(indexUid: string, first: number, last: number, clock: number): Wait {
    const known = this.#waits.get(indexUid);
    const firstAt = known?.first === first ? known.firstAt : clock;
    const lastAt = known?.last === last ? known.lastAt : clock;
    const wait = { first, firstAt, last, lastAt };
    this.#waits.set(indexUid, wait);
    return wait;
  }
}
