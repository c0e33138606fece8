import type { IndexSettings } from '../../../../bindings/index-types.js';
import type { SeededRandom } from '../../../../bindings/test/random.js';
import type { WorkOptions } from '../../../index/changes/embedding.js';
import { type Change, ChangeGroup, type Commits } from '../../../index/commits/draft.js';
import { clearing, creation, deletion, type SwapPair, stateOf, swaps, update } from '../../../index/commits/index-changes.js';
import { INDEX_PREFIX, type IndexState, readRecord } from '../../../index/commits/state.js';
import type { DocumentOperation, OperationResult } from '../../../index/document-operations.js';
import type { Draft } from '../../../index/draft.js';
import type { IndexRecord, StoredSegment } from '../../../index/record.js';
import { type Faults, SimulatedFault } from './faults.js';
import type { Disk } from './ledger.js';
import type { Steps } from './steps.js';

/** One job in this many fails. */
const FAILS = 20;
/** One operation in this many is refused. */
const REFUSES = 15;
/** Nothing is deleted where nothing is. */
function marked(marks: string[], operation: DocumentOperation): string[] {
  if (operation.type === 'add') return [...marks, operation.file];
  return marks.length > 0 ? [...marks, (operation as { ids: string[] }).ids[0]!] : marks;
}

/** Segments from which on an index is merged. */
const MANY = 3;

/**
 * The store of indexes with its real drafts and changes, over jobs that build nothing: what an operation adds to an index is a
 * mark in the list of its fields, so that the list says what was applied, and in which order. Indexes whose name begins with `e`
 * embed texts.
 */
export class SimulatedIndexes implements Commits {
  readonly states = new Map<string, IndexState>();
  readonly indexes = new Map<string, IndexRecord>();
  readonly segmentWrites = { attempts: 0, blocked: 0 };
  /** Jobs whose drafts have not ended. */
  pinned = 0;
  /** Ids of the segments that have files. */
  readonly files = new Set<number>();
  #nextSegment = 1;

  constructor(
    disk: Disk,
    private readonly steps: Steps,
    private readonly faults: Faults,
    private readonly random: SeededRandom,
  ) {
    for (const [, value] of disk.under(INDEX_PREFIX))
      this.#set(readRecord(value).uid, { record: readRecord(value), tombstones: new Map() });
    for (const { segments } of this.indexes.values())
      for (const { id } of segments) {
        this.files.add(id);
        this.#nextSegment = Math.max(this.#nextSegment, id + 1);
      }
  }

  readonly documents = {
    apply: async (uid: string, operations: DocumentOperation[], now: string, { progress, embedder }: WorkOptions) => {
      const { settings } = stateOf(this.states, uid).record;
      if (uid.startsWith('e') && embedder) {
        await embedder.embed({ uid, embedders: settings.embedders, texts: '', count: operations.length, vectors: '' });
      }
      return this.#job(async (end) => {
        await this.#work(progress);
        const results = operations.map(
          (): OperationResult =>
            this.faults.strike(REFUSES) ? { ok: false, error: new SimulatedFault() } : { ok: true, count: 1 },
        );
        const made = operations.filter((_, i) => results[i]!.ok);
        const segment = this.#segment(made.length);
        const change = this.#changed(uid, ({ fields, segments }) => ({
          fields: made.reduce(marked, fields),
          segments: [...segments, segment],
          updatedAt: now,
        }));
        return { results, draft: this.#drafts([change], [segment], end)[0]! };
      });
    },
  };

  readonly settings = {
    change: (uid: string, settings: IndexSettings, now: string, { progress }: WorkOptions) =>
      this.#job(async (end) => {
        await this.#work(progress);
        return this.#drafts([this.#changed(uid, () => ({ settings, updatedAt: now }))], [], end)[0]!;
      }),
    changeCleared: (uid: string, settings: IndexSettings, now: string) => this.#cleared(uid, now, settings),
  };

  readonly merges = {
    outdatedIndexes: [] as string[],
    mergeIfWorthwhile: (uid: string) => this.#merge(uid, MANY),
    compact: (uid: string) => this.#merge(uid, 2),
  };

  expectDocuments(): void {}

  createIndex(uid: string, primaryKey: string | null, now: string): Draft {
    return this.#drafts([creation(uid, primaryKey, now)])[0]!;
  }

  updateIndex(uid: string, change: { primaryKey?: string; newUid?: string }, now: string): Draft[] {
    return this.#drafts(update(uid, change, now));
  }

  deleteIndex(uid: string): Draft {
    return this.#drafts([deletion(uid)])[0]!;
  }

  swapIndexes(pairs: SwapPair[]): Draft[] {
    return this.#drafts(swaps(pairs));
  }

  clearDocuments(uid: string, now: string): Draft {
    return this.#cleared(uid, now);
  }

  #cleared(uid: string, now: string, settings?: IndexSettings): Draft {
    // the marks go with the documents
    const change = clearing(uid, now, settings);
    const next = (states: ReadonlyMap<string, IndexState>) => {
      const state = change.next(states)!;
      return { ...state, record: { ...state.record, fields: [] } };
    };
    return this.#drafts([{ uid, next }])[0]!;
  }

  install(states: Map<string, IndexState | null>): void {
    const before = [...states.keys()].flatMap((uid) => this.indexes.get(uid)?.segments ?? []);
    for (const [uid, state] of states) this.#set(uid, state);
    const named = this.named();
    for (const { id } of before) if (!named.has(id)) this.files.delete(id);
  }

  drop(segments: StoredSegment[], keepFiles: boolean): void {
    if (!keepFiles) for (const { id } of segments) this.files.delete(id);
  }

  named(): Set<number> {
    return new Set([...this.indexes.values()].flatMap(({ segments }) => segments.map(({ id }) => id)));
  }

  async #merge(uid: string, least: number): Promise<Draft | null> {
    const { segments } = stateOf(this.states, uid).record;
    if (segments.length < least) return null;
    const ids = new Set(segments.map(({ id }) => id));
    return this.#job(async (end) => {
      await this.#work();
      const segment = this.#segment(1);
      const next = (states: ReadonlyMap<string, IndexState>): IndexState | null => {
        const state = states.get(uid) ?? null;
        const present = state?.record.segments.filter(({ id }) => ids.has(id)).length;
        if (!state || present !== ids.size) return state;
        const kept = state.record.segments.filter(({ id }) => !ids.has(id));
        return { ...state, record: { ...state.record, segments: [...kept, segment] } };
      };
      return this.#drafts([{ uid, next }], [segment], end)[0]!;
    });
  }

  async #job<T>(job: (end: () => void) => Promise<T>): Promise<T> {
    this.pinned++;
    let ended = false;
    const end = () => {
      if (!ended) this.pinned--;
      ended = true;
    };
    try {
      return await job(end);
    } catch (error) {
      end();
      throw error;
    }
  }

  async #work(progress?: WorkOptions['progress']): Promise<void> {
    for (let rounds = this.random.int(3); rounds >= 0; rounds--) {
      await this.steps.take(() => this.faults.maybe(FAILS));
      progress?.('indexing documents', rounds, 3);
    }
    // what comes after the last report is too late for a stop
    await this.steps.take(() => {});
  }

  #segment(documents: number): StoredSegment {
    const id = this.#nextSegment++;
    this.files.add(id);
    const counts = { docCount: documents, liveCount: documents, residentLength: 1, fileLength: 1, rawBytes: 1 };
    return { id, file: String(id), ...counts };
  }

  #changed(uid: string, change: (record: IndexRecord) => Partial<IndexRecord>): Change {
    return {
      uid,
      next(states) {
        const { record, tombstones } = stateOf(states, uid);
        return { record: { ...record, ...change(record) }, tombstones };
      },
    };
  }

  #drafts(changes: Change[], added: StoredSegment[] = [], end: () => void = () => {}): Draft[] {
    return new ChangeGroup(this, changes, added, end).drafts;
  }

  #set(uid: string, state: IndexState | null): void {
    if (state) {
      this.states.set(uid, state);
      this.indexes.set(uid, state.record);
    } else {
      this.states.delete(uid);
      this.indexes.delete(uid);
    }
  }
}
