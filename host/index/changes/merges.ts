import { merged } from '../commits/job-changes.js';
import { worthMerging } from '../commits/merge.js';
import type { Draft } from '../draft.js';
import type { LiveStates } from '../memory/live-states.js';
import type { StoredSegment } from '../record.js';
import type { IndexJobs } from '../threads/jobs.js';
import type { WorkMetrics } from '../work-metrics.js';
import type { Drafts } from './drafts.js';

/** Merges segments of indexes. */
export class SegmentMerges {
  /** Segments whose merge did not reduce their number. */
  readonly #unmergeable = new Set<number>();

  constructor(
    private readonly live: LiveStates,
    private readonly drafts: Drafts,
    private readonly jobs: IndexJobs,
    private readonly work: WorkMetrics,
  ) {}

  /** Indexes with segments built by another version of the tokenizer, which {@link mergeIfWorthwhile} rebuilds. */
  get outdatedIndexes(): string[] {
    const { records, outdated } = this.live;
    return [...records].flatMap(([uid, { segments }]) => (segments.some(({ id }) => outdated.has(id)) ? [uid] : []));
  }

  /**
   * Merges segments of an index if the tiered policy asks for it; outdated segments come first. The draft may be settled at any
   * later time: documents deleted meanwhile stay deleted, and a merge whose sources are gone changes nothing.
   */
  mergeIfWorthwhile(uid: string): Promise<Draft | null> {
    return this.#merge(uid, (segments) => {
      const outdated = segments.filter(({ id }) => this.live.outdated.has(id));
      if (outdated.length > 0) return outdated;
      const mergeable = segments.filter(({ id }) => !this.#unmergeable.has(id));
      return worthMerging(mergeable, this.jobs.largestMerged);
    });
  }

  /** Merges all segments of an index into as few as possible, dropping deleted documents. */
  compact(uid: string): Promise<Draft | null> {
    const needed = (segments: StoredSegment[]) => segments.length > 1 || segments.some((each) => each.liveCount < each.docCount);
    return this.#merge(uid, (segments) => (needed(segments) ? segments : []));
  }

  async #merge(uid: string, choose: (segments: StoredSegment[]) => StoredSegment[]): Promise<Draft | null> {
    const { drafts, jobs } = this;
    const state = drafts.committed(uid);
    const { record } = state;
    const sources = choose(record.segments);
    if (sources.length === 0) return null;
    return drafts.job(async (end) => {
      const ids = sources.map(({ id }) => id);
      const view = drafts.view(record);
      const { settings } = record;
      const ended = this.work.merge(uid);
      const output = await jobs
        .merge({ view, settings, sources: ids, checkDocuments: false, changesVectors: false })
        .finally(() => ended(sources.reduce((sum, { liveCount }) => sum + liveCount, 0)));
      // The results are as large as the memory for merging allows, so merging them again would only rewrite them.
      if (output.segments.length >= sources.length) for (const { id } of output.segments) this.#unmergeable.add(id);
      return drafts.built(record, output.segments, merged(state, ids, output, drafts.relocations), end);
    });
  }
}
