import { IndexReader } from '../../../bindings/engine/segments.js';
import { ApiError, apiError } from '../../../bindings/errors.js';
import type { IndexView } from '../../../bindings/index-types.js';
import type { SearchRule } from '../../../bindings/rules/rule.js';
import type { ThreadContext } from '../../index/memory/thread-context.js';
import type { ViewUpdate } from '../../index/memory/views.js';

/** Old versions that are kept besides the newest. */
const PINNED_VIEWS = 8;

/** The newest version of every index, as known to a search thread. */
export class ViewStore {
  readonly #views = new Map<string, IndexView>();
  readonly #damaged = new Map<string, string>();
  /** Versions last used by {@link openPinned}, most recently used last. */
  readonly #pinned = new Map<string, IndexView>();
  /** The dynamic search rules in the order of their creation. */
  rules: readonly SearchRule[] = [];

  constructor(readonly readerContext: ThreadContext) {}

  update(update: ViewUpdate): void {
    this.readerContext.setMemories(update.memories, update.sizes);
    if (update.rules) this.rules = update.rules;
    for (const [uid, view] of update.views) {
      this.#views.delete(uid);
      this.#damaged.delete(uid);
      if (view && 'damage' in view) this.#damaged.set(uid, view.damage);
      else if (view) this.#views.set(uid, view);
    }
    const files = new Set<string>();
    for (const view of this.#views.values()) for (const segment of view.segments) files.add(segment.file);
    this.readerContext.keepFiles(files);
  }

  /**
   * An index at the version of a cursor search; the host keeps its segments. Pages share one view object, because readers cache
   * their work by it.
   */
  openPinned(sent: IndexView): IndexReader {
    const key = `${sent.uid} ${sent.version}`;
    const view = this.#pinned.get(key) ?? sent;
    this.#pinned.delete(key);
    this.#pinned.set(key, view);
    const [oldest] = this.#pinned.keys();
    if (this.#pinned.size > PINNED_VIEWS) this.#pinned.delete(oldest as string);
    return new IndexReader(view, this.readerContext);
  }

  /** Discards what readers have cached for their views. */
  renew(): void {
    this.#pinned.clear();
    for (const [uid, view] of this.#views) this.#views.set(uid, { ...view });
  }

  /**
   * Opens the present version of an index for one request.
   * @throws {ApiError} index_not_found; io_error when its files are damaged
   */
  open(uid: string): IndexReader {
    const view = this.#views.get(uid);
    const damage = this.#damaged.get(uid);
    if (damage !== undefined) throw new ApiError('io_error', damage);
    if (!view) throw apiError('index_not_found', 'absent', { uid });
    return new IndexReader(view, this.readerContext);
  }
}
