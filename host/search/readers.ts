import type { IndexReader } from '../../bindings/engine/segments.js';
import { ApiError } from '../../bindings/errors.js';
import type { IndexView } from '../../bindings/index-types.js';
import type { SearchRule } from '../../bindings/rules/rule.js';
import { openReader } from '../index/memory/open-reader.js';
import type { ThreadContext } from '../index/memory/thread-context.js';
import type { ViewUpdate } from '../index/memory/views.js';

/** The newest state of every index that a search thread knows. */
export class ViewStore {
  readonly #views = new Map<string, IndexView>();
  /** Uid of an index whose searches are not counted; empty: there is none. */
  aside = '';
  /** The dynamic search rules in the order of their creation. */
  rules: readonly SearchRule[] = [];

  constructor(readonly home: ThreadContext) {}

  update(update: ViewUpdate): void {
    this.home.setMemories(update.memories, update.sizes);
    this.aside = update.aside;
    if (update.rules) this.rules = update.rules;
    for (const [uid, view] of update.views) {
      if (view) this.#views.set(uid, view);
      else this.#views.delete(uid);
    }
    const files = new Set<string>();
    for (const view of this.#views.values()) for (const segment of view.segments) files.add(segment.file);
    this.home.keepFiles(files);
  }

  /** Forgets what readers have kept for their views. */
  renew(): void {
    for (const [uid, view] of this.#views) this.#views.set(uid, { ...view });
  }

  /**
   * An index as it stands now, for one request.
   * @throws {ApiError} index_not_found
   */
  open(uid: string): IndexReader {
    const view = this.#views.get(uid);
    if (!view) throw new ApiError('index_not_found', `There is no index \`${uid}\`.`);
    return openReader(view, this.home);
  }
}
