import { apiError } from '../../bindings/errors.js';
import type { SearchRule } from '../../bindings/rules/rule.js';
import type { Draft } from '../index/draft.js';
import type { Ledger, LedgerWrite } from '../storage/ledger/ledger.js';
import type { RuleChange } from './members.js';

/** Stands for the rules where tasks have an index: not a valid index name. */
export const RULES_UID = '.meili_dsr';
export const RULE_PREFIX = 'rule/';

/** A rule in the ledger. */
interface StoredRule {
  /** Order of creation; rules with equal precedence apply in this order. */
  id: number;
  rule: SearchRule;
}

/** All rules of a ledger, in the order of their creation. */
export async function storedRules(ledger: Ledger): Promise<StoredRule[]> {
  const stored: StoredRule[] = [];
  for await (const [, value] of ledger.iterate(RULE_PREFIX)) stored.push(JSON.parse(value.toString()));
  return stored.sort((a, b) => a.id - b.id);
}

/** The dynamic search rules: in the ledger by uid, in memory in the order of their creation. */
export class RuleStore {
  #rules = new Map<string, StoredRule>();

  private constructor(private readonly onChange: (rules: readonly SearchRule[]) => void) {}

  /** @param onChange called with all rules at the start and after every change */
  static async load(ledger: Ledger, onChange: (rules: readonly SearchRule[]) => void): Promise<RuleStore> {
    const store = new RuleStore(onChange);
    const stored = await storedRules(ledger);
    store.#adopt(new Map(stored.map((each) => [each.rule.uid, each])));
    return store;
  }

  /** In the order of creation. */
  list(): SearchRule[] {
    return [...this.#rules.values()].map(({ rule }) => rule);
  }

  /** @throws ApiError dynamic_search_rule_not_found */
  find(uid: string): SearchRule {
    const stored = this.#rules.get(uid);
    if (!stored) throw apiError('dynamic_search_rule_not_found', 'notFound', { uid });
    return stored.rule;
  }

  edit(): RuleEdit {
    return new RuleEdit(new Map(this.#rules), (rules) => this.#adopt(rules));
  }

  #adopt(rules: Map<string, StoredRule>): void {
    this.#rules = rules;
    this.onChange(this.list());
  }
}

/** Several changes that become durable and visible together. */
export class RuleEdit {
  readonly #writes = new Map<string, LedgerWrite>();

  constructor(
    private readonly rules: Map<string, StoredRule>,
    private readonly adopt: (rules: Map<string, StoredRule>) => void,
  ) {}

  /** Creates the rule if it does not exist. @param date RFC 3339 */
  update(uid: string, change: RuleChange, date: string): void {
    const old = this.rules.get(uid);
    const id = old?.id ?? Math.max(0, ...[...this.rules.values()].map((stored) => stored.id + 1));
    const stored = {
      id,
      rule: changedRule(old?.rule ?? { uid, lastUpdatedAt: date, active: true, conditions: {}, actions: [] }, change, date),
    };
    this.rules.set(uid, stored);
    const key = RULE_PREFIX + uid;
    this.#writes.set(key, { type: 'put', key, value: Buffer.from(JSON.stringify(stored)) });
  }

  delete(uid: string): void {
    if (!this.rules.delete(uid)) return;
    const key = RULE_PREFIX + uid;
    this.#writes.set(key, { type: 'del', key });
  }

  /** @returns the number of rules deleted */
  clear(): number {
    const uids = [...this.rules.keys()];
    for (const uid of uids) this.delete(uid);
    return uids.length;
  }

  draft(): Draft {
    return {
      uid: RULES_UID,
      record: null,
      writes: [...this.#writes.values()],
      publish: () => this.adopt(this.rules),
      discard: () => {},
    };
  }
}

/** A changed rule, with its members in the order of answers. */
function changedRule(old: SearchRule, change: RuleChange, date: string): SearchRule {
  const description = change.description === undefined ? old.description : change.description;
  const precedence = change.precedence === undefined ? old.precedence : change.precedence;
  return {
    uid: old.uid,
    ...(description === null || description === undefined ? {} : { description }),
    lastUpdatedAt: date,
    ...(precedence === null || precedence === undefined ? {} : { precedence }),
    active: change.active === undefined ? old.active : (change.active ?? true),
    conditions: change.conditions === undefined ? old.conditions : (change.conditions ?? {}),
    actions: change.actions === undefined ? old.actions : (change.actions ?? []),
  };
}
