import { createHash, randomUUID } from 'node:crypto';
import { type ApiError, apiError } from '../../bindings/errors.js';
import type { IndexView } from '../../bindings/index-types.js';
import type { CursorSearch } from '../../bindings/query/cursor-request.js';
import type { CursorPosition } from '../../bindings/search/cursor.js';
import type { IndexStore } from '../index/index-store.js';
import type { IndexRecord } from '../index/record.js';

/** Limits of cursor searches. */
export interface CursorBounds {
  /** Milliseconds after a page within which the next must be requested. */
  idleTimeout: number;
  /** Milliseconds after which a cursor search ends: until then its version of the index occupies memory and disk. */
  lifetime: number;
  /** Concurrent cursor searches; beyond it the least recently used one ends. */
  searches: number;
}

const BOUNDS: CursorBounds = { idleTimeout: 60_000, lifetime: 10 * 60_000, searches: 100 };

/** Characters of a cursor that a message quotes: longer than any valid one. */
const SHOWN = 50;

/** A cursor search, over the index as it was when the search began. */
interface OpenSearch {
  view: IndexView;
  /** Creation date of the index, which identifies it even after a rename. */
  createdAt: string;
  /** Hash of the request: a cursor only continues the same request. */
  fingerprint: string;
  /** Positions by token: of the last page and the one before, for clients that did not receive an answer. */
  positions: Map<string, CursorPosition>;
  end: number;
  timer: NodeJS.Timeout;
  /** Number of pages being read, whose segments must be kept. */
  reading: number;
  over: boolean;
  unpin(): void;
}

/** A page to be read. */
export interface CursorRead extends CursorPosition {
  view: IndexView;
  /** The token of the following page. */
  token: string;
}

/** The state of cursor searches between two pages. */
export class Cursors {
  /** By token, in the order of last use. */
  readonly #open = new Map<string, OpenSearch>();

  constructor(
    readonly indexStore: IndexStore,
    readonly bounds = BOUNDS,
  ) {}

  /**
   * Begins a cursor search, or finds the position of one.
   * @returns the page to read, and a function to be called with the position of the next page: null when there is none, or when
   * reading failed
   * @throws {ApiError} invalid_search_cursor, search_cursor_expired; index_not_found
   */
  read(uid: string, request: CursorSearch, tokenFilter: unknown): { page: CursorRead; ended(next: CursorPosition | null): void } {
    const { cursor, ...search } = request;
    const fingerprint = createHash('sha256')
      .update(JSON.stringify([uid, search, tokenFilter ?? null]))
      .digest('base64');
    const known = cursor === '' ? null : this.#find(uid, cursor as string, fingerprint);
    const open = known ?? this.#begin(uid, fingerprint);
    const position = known?.positions.get(cursor as string) ?? { seen: 0, remaining: null };
    const token = randomUUID();
    open.reading++;
    return {
      page: { ...position, view: open.view, token },
      ended: (next) => {
        open.reading--;
        if (open.over) this.#end(open);
        else if (next) this.#keep(open, cursor as string, token, next);
        else if (!known) this.#end(open);
      },
    };
  }

  #begin(uid: string, fingerprint: string): OpenSearch {
    const view = this.indexStore.viewOf(uid);
    const { createdAt } = this.indexStore.indexes.get(uid) as IndexRecord;
    const unpin = this.indexStore.pin();
    const end = performance.now() + this.bounds.lifetime;
    const timer = setTimeout(() => {}, 0);
    const open: OpenSearch = { view, createdAt, fingerprint, positions: new Map(), end, timer, reading: 0, over: false, unpin };
    this.#schedule(open);
    return open;
  }

  #find(uid: string, token: string, fingerprint: string): OpenSearch {
    const open = this.#open.get(token);
    if (!open) throw this.#expired(token);
    if (!this.#exists(uid, open)) {
      this.#end(open);
      // Throws index_not_found if there is no index of this name.
      this.indexStore.viewOf(uid);
      throw this.#expired(token);
    }
    if (open.fingerprint !== fingerprint) {
      throw apiError('invalid_search_cursor', 'otherSearch');
    }
    return open;
  }

  #expired(token: string): ApiError {
    const { idleTimeout, lifetime } = this.bounds;
    const bounds = `${idleTimeout / 1000} seconds after the previous page, ${lifetime / 60_000} minutes after the first one`;
    const shown = token.length > SHOWN ? `${token.slice(0, SHOWN)}…` : token;
    return apiError('search_cursor_expired', 'expired', { token: shown, bounds });
  }

  /** Whether the index still exists, perhaps under another name: documents of deleted indexes must not be shown. */
  #exists(uid: string, { createdAt }: OpenSearch): boolean {
    const { indexes } = this.indexStore;
    if (indexes.get(uid)?.createdAt === createdAt) return true;
    for (const index of indexes.values()) if (index.createdAt === createdAt) return true;
    return false;
  }

  #keep(open: OpenSearch, before: string, token: string, next: CursorPosition): void {
    for (const old of open.positions.keys()) {
      if (old === before) continue;
      open.positions.delete(old);
      this.#open.delete(old);
    }
    open.positions.set(token, next);
    for (const each of open.positions.keys()) {
      this.#open.delete(each);
      this.#open.set(each, open);
    }
    this.#schedule(open);
    const searches = new Set(this.#open.values());
    const [oldest] = searches;
    if (searches.size > this.bounds.searches && oldest) this.#end(oldest);
  }

  #schedule(open: OpenSearch): void {
    clearTimeout(open.timer);
    open.timer = setTimeout(() => this.#end(open), Math.max(0, Math.min(this.bounds.idleTimeout, open.end - performance.now())));
    open.timer.unref();
  }

  #end(open: OpenSearch): void {
    clearTimeout(open.timer);
    for (const token of open.positions.keys()) this.#open.delete(token);
    open.positions.clear();
    open.over = true;
    if (open.reading === 0) open.unpin();
  }
}
