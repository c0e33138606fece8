import path from 'node:path';
import { ApiError } from '../../../bindings/errors.js';
import type { IndexView } from '../../../bindings/index-types.js';
import { syncFile } from '../../storage/sync.js';
import { type Change, ChangeGroup } from '../commits/draft.js';
import { stateOf } from '../commits/index-changes.js';
import type { Relocations } from '../commits/relocations.js';
import type { IndexState } from '../commits/state.js';
import type { Draft } from '../draft.js';
import type { LiveStates } from '../memory/live-states.js';
import type { SegmentMemory } from '../memory/segment-memory.js';
import type { IndexRecord, StoredSegment } from '../record.js';

/** Makes drafts of changes to the committed indexes, and runs the jobs that build their segments. */
export class Drafts {
  constructor(
    private readonly live: LiveStates,
    private readonly segmentMemory: SegmentMemory,
    readonly relocations: Relocations,
  ) {}

  /** The committed state of an index. @throws {ApiError} index_not_found */
  committed(uid: string): IndexState {
    return stateOf(this.live.states, uid);
  }

  /** The view of an index for a job. @throws {ApiError} io_error when it is damaged */
  view(record: IndexRecord): IndexView {
    return this.live.view(record);
  }

  /** @throws {ApiError} io_error when one of the indexes is damaged */
  of(changes: Change[]): Draft[] {
    return this.#group(changes);
  }

  /** The draft of a change that is possible for a damaged index too, because it replaces everything. */
  ofAny(change: Change): Draft {
    return new ChangeGroup(this.live, [change]).drafts[0] as Draft;
  }

  /** Keeps the segments of the committed state, including their files, until the returned function is called. */
  pin(): () => void {
    return this.live.pin();
  }

  /** Runs a job on the committed state, which stays readable until the draft of the job has ended. */
  async job<T>(job: (end: () => void) => Promise<T>): Promise<T> {
    const unpin = this.live.pin();
    const leave = this.relocations.enter();
    const end = () => {
      leave();
      unpin();
    };
    try {
      return await job(end);
    } catch (error) {
      end();
      throw error;
    }
  }

  /**
   * The draft of a change with new segments, which index threads have written: they are synced, and loaded into memory beside those
   * of the index.
   * @param end the function passed to the {@link job}; called when the draft is published or discarded
   */
  async built(record: IndexRecord, segments: StoredSegment[], change: Change, end: () => void): Promise<Draft> {
    await this.#take(segments, record);
    return this.#group([change], segments, end)[0] as Draft;
  }

  /** The files are read from the page cache while the disk writes them. */
  async #take(segments: StoredSegment[], record: IndexRecord): Promise<void> {
    const outcomes = await Promise.allSettled([this.#sync(segments), this.#load(segments, record)]);
    const failure = outcomes.find(({ status }) => status === 'rejected') as PromiseRejectedResult | undefined;
    if (!failure) return;
    this.live.drop(segments);
    throw failure.reason;
  }

  async #load(segments: StoredSegment[], record: IndexRecord): Promise<void> {
    for (const segment of segments) await this.segmentMemory.load(segment, record.segments);
  }

  async #sync(segments: StoredSegment[]): Promise<void> {
    if (segments.length === 0) return;
    const { folder } = this.segmentMemory;
    const files = async () => {
      for (const { file } of segments) await syncFile(path.join(folder, file));
    };
    // Syncing the folder makes the names of the files durable.
    await Promise.all([files(), syncFile(folder)]);
  }

  #group(changes: Change[], added: StoredSegment[] = [], onEnd?: () => void): Draft[] {
    for (const { uid } of changes) {
      const damage = this.live.damaged.get(uid);
      if (damage !== undefined) throw new ApiError('io_error', damage);
    }
    return new ChangeGroup(this.live, changes, added, onEnd).drafts;
  }
}
