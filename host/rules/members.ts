import { apiError } from '../../bindings/errors.js';
import { INDEX_UID } from '../../bindings/query/index-uid.js';
import { plainValue } from '../../bindings/query/json.js';
import { arrayOf, BOOLEAN, objectOf, oneOf, STRING, UNSIGNED } from '../../bindings/query/request-values.js';
import {
  changed,
  defaulted,
  fromJson,
  type Kind,
  type MemberTable,
  optional,
  readObject,
  required,
  type ValuesOf,
} from '../../bindings/query/validate.js';
import type { RuleAction, RuleConditions } from '../../bindings/rules/rule.js';
import { parseMoment } from '../time/moments.js';

/** The members of requests about dynamic search rules. */

const CODE = 'invalid_dynamic_search_rule';
const CONDITIONS = `${CODE}_conditions`;
const ACTIONS = `${CODE}_actions`;
const MAX_POSITION = 2 ** 32 - 1;

/** A change of a rule: `undefined` keeps a member, null resets it. */
export interface RuleChange {
  description: string | null | undefined;
  precedence: number | null | undefined;
  active: boolean | null | undefined;
  conditions: RuleConditions | null | undefined;
  actions: RuleAction[] | null | undefined;
}

type Nulls<T> = { [K in keyof T]: T[K] | null };

/** The members that are present: null counts as absent. */
function present<T extends object>(object: Nulls<T>): T {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== null)) as T;
}

/** A kind whose parsed value is transformed by `make`. */
function made<From, To>(kind: Kind<From>, make: (value: From, path: string) => To): Kind<To> {
  return fromJson(kind.schema ?? {}, (value, at) => make(kind.json(value, at), at.path));
}

const INSTANT: Kind<string> = fromJson({ type: 'string', format: 'date-time' }, (value, at) => {
  const read = typeof value === 'string' ? parseMoment(value) : null;
  return read && !read.wholeDay
    ? (value as string)
    : at.refuse('a date and time with an offset such as `2030-01-31T09:30:00Z`', value);
});

interface Span {
  start?: string;
  end?: string;
}

const SPAN_MEMBERS: MemberTable<Nulls<Required<Span>>> = {
  start: optional(INSTANT, CONDITIONS),
  end: optional(INSTANT, CONDITIONS),
};

/** Unknown members are ignored. */
const SPAN: Kind<Span> = fromJson(objectOf(SPAN_MEMBERS).schema!, (value, at) => {
  if (!(value instanceof Map)) return at.refuse('an object with `start` and `end`', value);
  const span: Span = present(readObject(SPAN_MEMBERS, value, { path: at.path, code: CONDITIONS, lenient: true }));
  if (span.start !== undefined && span.end !== undefined && parseMoment(span.start)!.moment > parseMoment(span.end)!.moment)
    throw apiError('bad_request', 'startAfterEnd', { path: at.path });
  return span;
});

const QUERY = made(
  objectOf<{ isEmpty: boolean | null; words: string | null }>({
    isEmpty: optional(BOOLEAN, CONDITIONS),
    words: optional(STRING, CONDITIONS),
  }),
  (query, path): NonNullable<RuleConditions['query']> => {
    if (query.isEmpty === true && query.words !== null) throw apiError('bad_request', 'emptyAndWords', { path });
    return present(query);
  },
);

const VALUES: Kind<Record<string, unknown>> = fromJson({ type: 'object' }, (value, at) =>
  value instanceof Map ? (plainValue(value) as Record<string, unknown>) : at.refuse('an object of fields and values', value),
);

const FILTER = made(
  objectOf<{ values: Record<string, unknown> | null }>({ values: optional(VALUES, CONDITIONS) }),
  ({ values }): NonNullable<RuleConditions['filter']> => ({ values: values ?? {} }),
);

/** In the order of answers. */
const RULE_CONDITIONS = made(
  objectOf<Nulls<Required<RuleConditions>>>({
    time: optional(SPAN, CONDITIONS),
    query: optional(QUERY, CONDITIONS),
    filter: optional(FILTER, CONDITIONS),
  }),
  (conditions): RuleConditions => present(conditions),
);

const POSITION: Kind<number> = {
  ...UNSIGNED,
  json(value, at) {
    const position = UNSIGNED.json(value, at);
    return position <= MAX_POSITION ? position : at.refuse(`an integer from 0 to ${MAX_POSITION}`, value);
  },
};

const SELECTOR = made(
  objectOf<{ indexUid: string | null; id: string }>({
    indexUid: optional(INDEX_UID, ACTIONS),
    id: required(STRING, ACTIONS),
  }),
  (selector): RuleAction['selector'] => present(selector),
);

const RULE_ACTIONS: Kind<RuleAction[]> = arrayOf(
  objectOf<RuleAction>({
    selector: required(SELECTOR, ACTIONS),
    action: required(
      objectOf<RuleAction['action']>({ type: required(oneOf('pin'), ACTIONS), position: required(POSITION, ACTIONS) }),
      ACTIONS,
    ),
  }),
  'an array of actions',
);

export const RULE: MemberTable<RuleChange> = {
  description: changed(STRING, `${CODE}_description`),
  precedence: changed(UNSIGNED, `${CODE}_priority`),
  active: changed(BOOLEAN, `${CODE}_active`),
  conditions: changed(RULE_CONDITIONS, CONDITIONS),
  actions: changed(RULE_ACTIONS, ACTIONS),
};

export const RULE_LISTING = {
  offset: defaulted(UNSIGNED, `${CODE}_offset`, 0),
  limit: defaulted(UNSIGNED, `${CODE}_limit`, 20),
  filter: optional(
    objectOf({
      query: optional(STRING, `${CODE}_filter_query`),
      active: optional(BOOLEAN, `${CODE}_filter_active`),
    }),
    `${CODE}_filter`,
  ),
};

export type RuleListing = ValuesOf<typeof RULE_LISTING>;
