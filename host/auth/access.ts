import { apiError } from '../../bindings/errors.js';
import { listed } from '../../bindings/query/validate.js';
import { fitsIndex } from './index-patterns.js';
import type { TokenRule } from './token-rules.js';
import { ruleFor } from './token-rules.js';

/** The indexes that a caller may use, as plain data that can be sent to another thread. */
export interface AccessScope {
  patterns: readonly string[];
  rules: readonly TokenRule[] | null;
}

/** What the caller of a request may use. Routes that take index uids in their bodies, or list indexes, ask it. */
export class Access {
  /** The master key, or a service without one. */
  static readonly FULL = new Access(null, ['*'], null);

  /**
   * @param actions every action of the key, families expanded; null: all actions
   * @param patterns index patterns of the key
   * @param rules search rules of a tenant token; null when the caller sent the key itself
   */
  constructor(
    private readonly actions: ReadonlySet<string> | null,
    private readonly patterns: readonly string[],
    private readonly rules: readonly TokenRule[] | null,
  ) {}

  /** The indexes that the caller is limited to; undefined when it may use all of them. */
  get scope(): AccessScope | undefined {
    return this.restricted ? { patterns: this.patterns, rules: this.rules } : undefined;
  }

  /** Whether the caller is limited to some indexes. */
  get restricted(): boolean {
    return !this.patterns.includes('*') || this.rules !== null;
  }

  may(action: string): boolean {
    return this.actions === null || this.actions.has(action);
  }

  allows(uid: string): boolean {
    if (!this.patterns.some((pattern) => fitsIndex(pattern, uid))) return false;
    return this.rules === null || ruleFor(this.rules, uid) !== null;
  }

  /** The filter that the tenant token adds to every search of the index: JSON as in the member `filter`, or undefined. */
  filterOf(uid: string): unknown {
    return (this.rules && ruleFor(this.rules, uid))?.filter;
  }

  /**
   * @param where how the index was named, for the message: 'the path', '`.uid`'
   * @throws ApiError invalid_api_key when the caller may not use the index
   */
  require(uid: string, where: string): void {
    if (this.allows(uid)) return;
    const allowed = [...(this.rules?.map(({ pattern }) => pattern) ?? this.patterns)].sort();
    const list = allowed.length === 0 ? 'none' : listed(allowed);
    throw apiError('invalid_api_key', 'indexNotAllowed', { uid, place: where, allowed: list });
  }
}
