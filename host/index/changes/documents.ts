import { generatesVectors } from '../../../bindings/embedders/models.js';
import type { ApplyInput, Refusal } from '../build/batch/batch-job.js';
import type { ExtractInput, ExtractOutput } from '../build/extract.js';
import { applied } from '../commits/job-changes.js';
import type { DocumentOperation, Edition, OperationResult } from '../document-operations.js';
import type { Draft } from '../draft.js';
import type { EditionOutput } from '../edition/edition.js';
import { watched } from '../edition/watch.js';
import type { PayloadIntake } from '../intake/payload-intake.js';
import type { Progress } from '../progress.js';
import type { IndexJobs } from '../threads/jobs.js';
import type { Drafts } from './drafts.js';
import { embedBatch, type WorkOptions, withEmbeddingFiles } from './embedding.js';

/** Changes documents of indexes, and exports them. */
export class IndexDocuments {
  constructor(
    private readonly drafts: Drafts,
    private readonly jobs: IndexJobs,
    private readonly payloads: PayloadIntake,
  ) {}

  /**
   * Applies operations in order, as if one at a time. A filter sees the committed documents minus the deletions before it, so
   * additions must not precede it.
   * @throws {ApiError} index_not_found; errors of single operations are in the results
   */
  async apply(
    uid: string,
    operations: DocumentOperation[],
    now: string,
    { progress, embedder }: WorkOptions = {},
  ): Promise<{ results: OperationResult[]; draft: Draft }> {
    const { drafts, jobs, payloads } = this;
    const input = (): ApplyInput => {
      const { record } = drafts.committed(uid);
      const { freeIds, nextInternalId } = record;
      const segmentBytes = record.segments.map(({ rawBytes, liveCount, docCount }) => (rawBytes * liveCount) / docCount);
      return { view: drafts.view(record), segmentBytes, freeIds, nextInternalId, operations, payloads: payloads.folder };
    };
    const { settings } = drafts.committed(uid).record;
    return withEmbeddingFiles(payloads, async (prefix) => {
      for (let refusals: Refusal[] = []; ; ) {
        // Segments are not pinned meanwhile: embedding may take hours, and merges do not change documents.
        const embeds = embedder && generatesVectors(settings);
        const embedded = embeds ? await embedBatch(jobs, input, refusals, prefix, embedder, progress) : {};
        const outcome = await drafts.job(async (end) => {
          const { record } = drafts.committed(uid);
          const output = await jobs.apply({ ...input(), ...embedded }, progress);
          if ('results' in output) {
            const { change, results } = applied(uid, output, drafts.relocations, now);
            return { results, draft: await drafts.built(record, output.segments, change, end) };
          }
          end();
          return output;
        });
        if ('draft' in outcome) return outcome;
        refusals = outcome.refusals;
      }
    });
  }

  /** @throws {ApiError} bad_request when the script of an edition does not compile */
  checkScript(script: string): Promise<void> {
    return this.jobs.checkScript(script);
  }

  /**
   * Runs a script over the documents that a filter selects, without changing them: the results are payloads, for the caller to
   * apply and delete.
   * @throws {ApiError} of the script or the filter
   */
  async edit(uid: string, edition: Edition, progress: Progress): Promise<EditionOutput> {
    const { drafts, jobs, payloads } = this;
    const view = drafts.view(drafts.committed(uid).record);
    const prefix = payloads.name();
    return drafts.job(async (end) => {
      try {
        return await jobs.edit({ view, edition, folder: payloads.folder, prefix }, watched(progress));
      } catch (error) {
        payloads.dropAll(`${prefix}-`);
        throw error;
      } finally {
        end();
      }
    });
  }

  /** Writes documents of an index as NDJSON. @throws {ApiError} index_not_found, invalid_document_filter */
  async extract(uid: string, what: Omit<ExtractInput, 'view'>, progress?: Progress): Promise<ExtractOutput> {
    const { record } = this.drafts.committed(uid);
    const unpin = this.drafts.pin();
    try {
      return await this.jobs.extract({ view: this.drafts.view(record), ...what }, progress);
    } finally {
      unpin();
    }
  }
}
