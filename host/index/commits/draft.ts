import type { LedgerWrite } from '../../storage/ledger/ledger.js';
import type { Draft } from '../draft.js';
import type { IndexRecord, StoredSegment } from '../record.js';
import { type IndexState, ledgerWrites, TOMBSTONES_PREFIX } from './state.js';

/** The change of one index. */
export interface Change {
  uid: string;
  /** The state of the index after the change (null: deleted), computed from the committed states when the change is settled. */
  next(committed: ReadonlyMap<string, IndexState>): IndexState | null;
}

/** What drafts need from the index store. */
export interface Commits {
  readonly states: ReadonlyMap<string, IndexState>;
  install(states: Map<string, IndexState | null>): void;
  /** Frees segments that no committed state names. */
  drop(segments: StoredSegment[], keepFiles: boolean): void;
}

/**
 * A change of one or more indexes as a unit: publishing its first draft publishes all. It is settled when its writes or records
 * are first read.
 */
export class ChangeGroup {
  readonly drafts: Draft[];
  readonly #commits: Commits;
  readonly #changes: Change[];
  readonly #added: StoredSegment[];
  readonly #onEnd: () => void;
  #settled: { before: Map<string, IndexState | null>; after: Map<string, IndexState | null> } | null = null;
  #ended = false;

  /** `added`: segments built for the change; `onEnd` is called when it is published or discarded. */
  constructor(commits: Commits, changes: Change[], added: StoredSegment[] = [], onEnd: () => void = () => {}) {
    this.#commits = commits;
    this.#changes = changes;
    this.#added = added;
    this.#onEnd = onEnd;
    this.drafts = changes.map(({ uid }, index) => new ChangeDraft(uid, this, index === 0));
  }

  stateOf(uid: string): IndexState | null {
    return this.#settle().after.get(uid) ?? null;
  }

  /** The writes for one index; those of the first draft also remove records that no index uses any more. */
  writesOf(uid: string, first: boolean): LedgerWrite[] {
    const { before, after } = this.#settle();
    const writes = ledgerWrites(uid, before.get(uid) ?? null, after.get(uid) ?? null);
    if (!first) return writes;
    const named = new Set<number>();
    for (const state of after.values()) for (const { id } of state?.record.segments ?? []) named.add(id);
    for (const state of before.values()) {
      for (const id of state?.tombstones.keys() ?? []) {
        if (!named.has(id)) writes.push({ type: 'del', key: TOMBSTONES_PREFIX + id });
      }
    }
    return writes;
  }

  publish(): void {
    if (this.#ended) return;
    const { before, after } = this.#settle();
    for (const [uid, state] of before) {
      if ((this.#commits.states.get(uid) ?? null) !== state) throw new Error(`index ${uid} changed under a settled draft`);
    }
    this.#ended = true;
    this.#commits.install(after);
    this.#end();
  }

  discard(keepFiles: boolean): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#end(keepFiles);
  }

  #end(keepFiles = false): void {
    const named = new Set<number>();
    for (const { record } of this.#commits.states.values()) for (const { id } of record.segments) named.add(id);
    this.#commits.drop(
      this.#added.filter(({ id }) => !named.has(id)),
      keepFiles,
    );
    this.#onEnd();
  }

  #settle() {
    if (!this.#settled) {
      const { states } = this.#commits;
      this.#settled = {
        before: new Map(this.#changes.map(({ uid }) => [uid, states.get(uid) ?? null])),
        after: new Map(this.#changes.map(({ uid, next }) => [uid, next(states)])),
      };
    }
    return this.#settled;
  }
}

class ChangeDraft implements Draft {
  constructor(
    readonly uid: string,
    readonly group: ChangeGroup,
    readonly first: boolean,
  ) {}

  get record(): IndexRecord | null {
    return this.group.stateOf(this.uid)?.record ?? null;
  }

  get writes(): LedgerWrite[] {
    return this.group.writesOf(this.uid, this.first);
  }

  publish(): void {
    this.group.publish();
  }

  discard(keepFiles = false): void {
    this.group.discard(keepFiles);
  }
}
