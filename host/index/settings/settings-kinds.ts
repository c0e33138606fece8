import { threeLetterCode } from '../../../bindings/engine/languages.js';
import { sortedSet } from '../../../bindings/engine/utf8.js';
import { JsonNumber } from '../../../bindings/query/json.js';
import { LOCALE_CODES } from '../../../bindings/query/locales.js';
import { arrayOf, BOOLEAN, oneOf, STRING, STRINGS, UNSIGNED } from '../../../bindings/query/request-values.js';
import {
  changed,
  defaulted,
  fromJson,
  type Kind,
  listed,
  type MemberTable,
  nullable,
  objectSchema,
  Place,
  readObject,
  required,
} from '../../../bindings/query/validate.js';

/**
 * The types of values in settings. A parsed value is what task details show: as sent, except that sets are sorted and rules
 * completed.
 */

export const STRING_SET: Kind<string[]> = fromJson({ ...STRINGS.schema, uniqueItems: true }, (value, at) =>
  sortedSet(STRINGS.json(value, at)),
);

/** A map from names to values of one kind, sorted by UTF-8 bytes of the names; null is refused. */
export function mapOf<T>(item: Kind<T>, expected: string): Kind<Record<string, T>> {
  return fromJson({ type: 'object', additionalProperties: item.schema ?? {} }, (value, at) => {
    if (!(value instanceof Map)) return at.refuse(expected, value);
    const entries = new Map([...value].map(([name, one]) => [name, item.json(one, new Place(`${at.path}.${name}`, at.code))]));
    return Object.fromEntries(sortedSet(entries.keys()).map((name) => [name, entries.get(name)!]));
  });
}

/** An integer in [from, to]. */
function integer(from: number, to: number): Kind<number> {
  return fromJson({ type: 'integer', minimum: from, maximum: to }, (value, at) => {
    const inside = value instanceof JsonNumber && value.isInteger && value.value >= from && value.value <= to;
    return inside
      ? value.value
      : at.refuse(to === Number.MAX_SAFE_INTEGER ? `an integer of at least ${from}` : `an integer from ${from} to ${to}`, value);
  });
}

/** An object of which any subset may be sent. Only sent members are kept; null resets one. */
export function partOf<T extends object>(
  members: { [K in keyof T]: Kind<T[K]> },
): Kind<Partial<{ [K in keyof T]: T[K] | null }>> {
  const schemas = Object.entries<Kind<unknown>>(members).map(([name, kind]) => [name, nullable(kind).schema]);
  const schema = { type: 'object', properties: Object.fromEntries(schemas), additionalProperties: false };
  return fromJson(schema, (value, at) => {
    if (!(value instanceof Map)) return at.refuse(`an object with ${listed(Object.keys(members))}`, value);
    const table = Object.fromEntries(
      Object.entries<Kind<unknown>>(members).map(([name, kind]) => [name, changed(kind, at.code)]),
    ) as unknown as MemberTable<Record<string, unknown>>;
    return sentMembers(readObject(table, value, { path: at.path, code: at.code })) as never;
  });
}

export function sentMembers(object: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined));
}

export function strictObject<T>(table: (code: string) => MemberTable<T>): Kind<T> {
  return fromJson(objectSchema(table('bad_request')), (value, at) => {
    const members = table(at.code);
    if (!(value instanceof Map)) return at.refuse(`an object with ${listed(Object.keys(members))}`, value);
    return readObject(members, value, { path: at.path, code: at.code });
  });
}

const FILTER_FEATURES = strictObject<{ equality: boolean; comparison: boolean }>((code) => ({
  equality: defaulted(BOOLEAN, code, true),
  comparison: defaulted(BOOLEAN, code, false),
}));

const RULE_FEATURES = strictObject<{ facetSearch: boolean; filter: { equality: boolean; comparison: boolean } }>((code) => ({
  facetSearch: defaulted(BOOLEAN, code, false),
  filter: defaulted(FILTER_FEATURES, code, { equality: true, comparison: false }),
}));

const FILTERABLE_OBJECT = strictObject((code) => ({
  attributePatterns: required(STRINGS, code),
  features: defaulted(RULE_FEATURES, code, { facetSearch: false, filter: { equality: true, comparison: false } }),
}));

export const FILTERABLE_RULES = arrayOf(
  fromJson({ anyOf: [STRING.schema, FILTERABLE_OBJECT.schema] }, (value, at) => {
    if (typeof value === 'string') return value;
    return value instanceof Map
      ? FILTERABLE_OBJECT.json(value, at)
      : at.refuse('an attribute or an object with `attributePatterns`', value);
  }),
  'an array of attributes and of objects with `attributePatterns`',
);

const LOCALE = fromJson({ type: 'string', enum: LOCALE_CODES }, (value, at) =>
  typeof value === 'string' && threeLetterCode(value) ? value : at.refuse(`one of ${listed(LOCALE_CODES)}`, value),
);

export const LOCALIZED_RULES = arrayOf(
  strictObject<{ attributePatterns: string[]; locales: string[] }>((code) => ({
    attributePatterns: required(STRINGS, code),
    locales: required(arrayOf(LOCALE, 'an array of language codes'), code),
  })),
  'an array of objects with `attributePatterns` and `locales`',
);

export const FOREIGN_KEYS = arrayOf(
  strictObject<{ foreignIndexUid: string; fieldName: string }>((code) => ({
    foreignIndexUid: required(STRING, code),
    fieldName: required(STRING, code),
  })),
  'an array of objects with `foreignIndexUid` and `fieldName`',
);

export const BUILT_IN_RULES = ['words', 'typo', 'proximity', 'attribute', 'attributeRank', 'wordPosition', 'sort', 'exactness'];
const RESERVED_FIELD = /^_geo(Distance)?$|^_geo(Point|Radius|BoundingBox)\(.*\)?$/;

const RANKING_RULE = fromJson(STRING.schema!, (value, at) => {
  if (typeof value !== 'string') return at.refuse('a string', value);
  if (BUILT_IN_RULES.includes(value)) return value;
  const field = /^(.*):(?:asc|desc)$/s.exec(value)?.[1];
  if (field === undefined)
    return at.refuse(`one of ${listed(BUILT_IN_RULES)}, \`<attribute>:asc\` or \`<attribute>:desc\``, value);
  return RESERVED_FIELD.test(field) ? at.refuse(`a rule on an attribute: \`${field}\` is reserved`, value) : value;
});

export const RANKING_RULES: Kind<string[]> = fromJson(STRINGS.schema!, (value, at) => {
  const rules = arrayOf(RANKING_RULE, 'an array of ranking rules').json(value, at);
  const position = rules.includes('attribute')
    ? rules.findIndex((rule) => rule === 'attributeRank' || rule === 'wordPosition')
    : -1;
  if (position >= 0) throw at.error(`cannot hold \`attribute\` together with \`${rules[position]}\``);
  return rules;
});

const TYPO_MEMBERS = partOf({
  enabled: BOOLEAN,
  minWordSizeForTypos: partOf({ oneTypo: integer(0, 255), twoTypos: integer(0, 255) }),
  disableOnWords: STRING_SET,
  disableOnAttributes: STRING_SET,
  disableOnNumbers: BOOLEAN,
});

export const TYPO_TOLERANCE = fromJson(TYPO_MEMBERS.schema!, (value, at) => {
  const sent = TYPO_MEMBERS.json(value, at);
  const { oneTypo, twoTypos } = sent.minWordSizeForTypos ?? {};
  if (typeof oneTypo === 'number' && typeof twoTypos === 'number' && oneTypo > twoTypos)
    throw at.error(`has \`oneTypo\` ${oneTypo} greater than \`twoTypos\` ${twoTypos} in \`minWordSizeForTypos\``);
  return sent;
});

export const FACETING = partOf({
  maxValuesPerFacet: UNSIGNED,
  sortFacetValuesBy: mapOf(oneOf('alpha', 'count'), 'an object of attributes with `alpha` or `count`'),
});

export const PAGINATION = partOf({ maxTotalHits: integer(1, Number.MAX_SAFE_INTEGER) });

export const SYNONYMS = mapOf(STRINGS, 'an object of words with arrays of words');
