import { apiError } from '../../bindings/errors.js';
import { fitsIndex } from './index-patterns.js';
import type { SearchRule } from './search-rules.js';
import { ruleFor } from './search-rules.js';

/** The indexes that a caller may reach, in a form that can be sent to another thread. */
export interface AccessScope {
  patterns: readonly string[];
  rules: readonly SearchRule[] | null;
}

/** What the caller of a request may reach; routes that name indexes in their bodies, or list some, ask it. */
export class Access {
  /** The master key, or a service without one. */
  static readonly FULL = new Access(null, ['*'], null);

  /**
   * @param actions all that the key stands for, expanded; null for every action
   * @param patterns of the indexes of the key
   * @param rules of a tenant token; null when the caller holds the key itself
   */
  constructor(
    private readonly actions: ReadonlySet<string> | null,
    private readonly patterns: readonly string[],
    private readonly rules: readonly SearchRule[] | null,
  ) {}

  /** Which indexes it is limited to; undefined: none are hidden from it. */
  get scope(): AccessScope | undefined {
    return this.restricted ? { patterns: this.patterns, rules: this.rules } : undefined;
  }

  /** Whether it is limited to some indexes. */
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

  /** The filter that searches of the index must fulfil besides their own: JSON as in the member `filter`, or undefined. */
  filterOf(uid: string): unknown {
    return (this.rules && ruleFor(this.rules, uid))?.filter;
  }

  /**
   * @param where the index is named, for the message: 'the path', '`.uid`'
   * @throws ApiError invalid_api_key
   */
  require(uid: string, where: string): void {
    if (this.allows(uid)) return;
    const allowed = [...(this.rules?.map(({ pattern }) => pattern) ?? this.patterns)].sort();
    const list = allowed.length === 0 ? 'none' : allowed.map((pattern) => `\`${pattern}\``).join(', ');
    throw apiError('invalid_api_key', 'indexNotAllowed', { uid, place: where, allowed: list });
  }
}
