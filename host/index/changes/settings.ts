import type { IndexSettings } from '../../../bindings/index-types.js';
import type { RebuildInput } from '../build/segments/rebuild.js';
import { ColumnChange } from '../build/segments/revise.js';
import { clearing } from '../commits/index-changes.js';
import { partsRebuilt, rebuilt, reconfigured, revised } from '../commits/job-changes.js';
import type { Draft } from '../draft.js';
import type { PayloadIntake } from '../intake/payload-intake.js';
import type { MainEngine } from '../main-engine.js';
import type { Progress } from '../progress.js';
import { keepsVectorForms } from '../settings/embedders/built.js';
import { withNormalWords } from '../settings/normal-words.js';
import { changedParts, PARTS, type Part } from '../settings/settings.js';
import type { IndexJobs } from '../threads/jobs.js';
import type { WorkMetrics } from '../work-metrics.js';
import type { Drafts } from './drafts.js';
import { embedRebuild, type WorkOptions, withEmbeddingFiles } from './embedding.js';

/** Changes the settings of indexes, and rebuilds the parts of segments that depend on them. */
export class SettingsChanges {
  constructor(
    private readonly drafts: Drafts,
    private readonly jobs: IndexJobs,
    private readonly payloads: PayloadIntake,
    private readonly engine: MainEngine,
    private readonly work: WorkMetrics,
  ) {}

  /**
   * Gives an index new settings and rebuilds what they change in its segments.
   * @throws {ApiError} when stored documents do not fit the settings; index_not_found
   */
  async change(uid: string, wanted: IndexSettings, now: string, options: WorkOptions = {}): Promise<Draft> {
    const settings = this.engine.run((instance) => withNormalWords(instance, wanted));
    const { record } = this.drafts.committed(uid);
    const parts = changedParts(record.settings, settings);
    if (new ColumnChange(record.settings, settings, record.fields).isNone) parts.delete('columns');
    if (record.segments.length === 0 || parts.size === 0) {
      return this.drafts.of([reconfigured(uid, settings, now)])[0] as Draft;
    }
    if (parts.has('vectors')) {
      const changedAlone = parts.size === 1 && keepsVectorForms(record.settings, settings);
      return this.#rebuild(uid, { settings, changesVectors: true, changedAlone }, now, options);
    }
    const draft = await this.#revise(uid, settings, [...parts], now, options.progress);
    return draft ?? this.#rebuild(uid, { settings, changesVectors: false, changedAlone: false }, now, options);
  }

  /**
   * Removes all documents of an index and changes its settings, so that nothing needs to be rebuilt. @throws {ApiError}
   * index_not_found
   */
  changeCleared(uid: string, wanted: IndexSettings, now: string): Draft {
    const settings = this.engine.run((instance) => withNormalWords(instance, wanted));
    return this.drafts.ofAny(clearing(uid, now, settings));
  }

  /** Rebuilds all documents of an index, or with `changedAlone` only those whose vectors change. */
  async #rebuild(
    uid: string,
    how: Pick<RebuildInput, 'settings' | 'changesVectors'> & { changedAlone: boolean },
    now: string,
    { progress, embedder }: WorkOptions,
  ): Promise<Draft> {
    const { drafts, jobs } = this;
    const { settings, changesVectors, changedAlone } = how;
    const input = (): RebuildInput => {
      const { record } = drafts.committed(uid);
      return { view: drafts.view(record), sources: record.segments.map(({ id }) => id), checkDocuments: true, ...how };
    };
    return withEmbeddingFiles(this.payloads, async (prefix) => {
      const embedded = embedder && changesVectors ? await embedRebuild(jobs, input(), prefix, embedder, progress) : null;
      return drafts.job(async (end) => {
        const { record } = drafts.committed(uid);
        const output = await jobs.rebuild({ ...input(), embedded }, progress);
        const change = changedAlone
          ? revised(uid, settings, output, drafts.relocations, now)
          : rebuilt(record, settings, output, now);
        const draft = await drafts.built(record, output.segments, change, end);
        this.work.rebuilt(uid, changedAlone ? ['vectors'] : PARTS);
        return draft;
      });
    });
  }

  /** null: some segments cannot be revised and must be rebuilt from their documents. */
  async #revise(
    uid: string,
    settings: IndexSettings,
    parts: Part[],
    now: string,
    progress: Progress | undefined,
  ): Promise<Draft | null> {
    return this.drafts.job(async (end) => {
      const state = this.drafts.committed(uid);
      const made = await this.jobs.revise({ view: this.drafts.view(state.record), settings, parts }, progress);
      if (!made) {
        end();
        return null;
      }
      const draft = await this.drafts.built(state.record, made, partsRebuilt(state, settings, made, now), end);
      this.work.rebuilt(uid, parts);
      return draft;
    });
  }
}
