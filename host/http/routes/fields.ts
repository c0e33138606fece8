import type { FastifyInstance } from 'fastify';
import { languageNumber } from '../../../bindings/engine/languages.js';
import { sortedSet } from '../../../bindings/engine/utf8.js';
import { facetOrder } from '../../../bindings/format/facets.js';
import type { IndexSettings } from '../../../bindings/index-types.js';
import { own } from '../../../bindings/own.js';
import { covers, matchesPattern } from '../../../bindings/patterns.js';
import { filterableFeatures } from '../../../bindings/query/filterable.js';
import { attributeLocales } from '../../../bindings/query/localized.js';
import { BOOLEAN, objectOf, STRINGS } from '../../../bindings/query/request-values.js';
import { optional, readObject, type ValuesOf } from '../../../bindings/query/validate.js';
import type { IndexRecord } from '../../index/record.js';
import { jsonObject } from '../body.js';
import { pageOf } from '../page.js';
import { indexOf, type Service } from '../service.js';
import { INDEX_PAGE } from './indexes.js';

const CODE = 'invalid_index_fields_filter';

/** Besides names: what the settings determine about a field, by the names of answers. */
const FILTER = {
  attributePatterns: optional(STRINGS, `${CODE}_attribute_patterns`),
  displayed: optional(BOOLEAN, `${CODE}_displayed`),
  searchable: optional(BOOLEAN, `${CODE}_searchable`),
  sortable: optional(BOOLEAN, `${CODE}_sortable`),
  distinct: optional(BOOLEAN, `${CODE}_distinct`),
  rankingRule: optional(BOOLEAN, `${CODE}_ranking_rule`),
  filterable: optional(BOOLEAN, `${CODE}_filterable`),
};

type FieldFilter = ValuesOf<typeof FILTER>;

export const FIELDS = {
  ...INDEX_PAGE,
  filter: optional(objectOf(FILTER), CODE),
};

export function fieldRoutes(app: FastifyInstance, service: Service): void {
  app.post('/indexes/:index_uid/fields', async (request, reply) => {
    const { filter, ...page } = readObject(FIELDS, await jsonObject(request, service.options.httpPayloadSizeLimit));
    // Unlike on other routes, a malformed uid is reported as not found.
    const index = indexOf(service, (request.params as { index_uid: string }).index_uid);
    const fields = fieldNames(index)
      .map((name) => fieldView(name, index.settings))
      .filter((field) => !filter || passes(field, filter));
    return reply.send(pageOf(fields, page, (field) => field));
  });
}

function fieldNames({ fields, primaryKey }: IndexRecord): string[] {
  const known = fields.filter((name) => !/^(_geojson|_vectors)\./.test(name));
  return sortedSet(primaryKey === null ? known : [...known, primaryKey]);
}

function passes(
  { name: path, ...facts }: ReturnType<typeof fieldView>,
  { attributePatterns, ...criteria }: FieldFilter,
): boolean {
  if (attributePatterns && !attributePatterns.some((pattern) => matchesPattern(pattern, path))) return false;
  return Object.entries(criteria).every(
    ([name, wanted]) => wanted === null || own(facts as Record<string, { enabled?: boolean }>, name)?.enabled === wanted,
  );
}

/** Members that are only affected by settings for geo data, or by none. */
const RESERVED = ['_geo', '_geo.lat', '_geo.lng', '_geojson', '_vectors'];

function fieldView(name: string, settings: IndexSettings) {
  const reserved = RESERVED.includes(name);
  const geo = name.startsWith('_geo') && reserved;
  const coveredBy = (names: string[] | null) => names === null || names.some((entry) => covers(entry, name));
  const features =
    name === '_vectors' || (geo && !settings.filterableAttributes.includes(name.split('.')[0]!))
      ? null
      : filterableFeatures(settings, name);
  const { facetSearch, equality, comparison } = features ?? { facetSearch: false, equality: false, comparison: false };
  const order = reserved ? undefined : customOrder(name, settings.rankingRules);
  const locales = reserved ? [] : localesOf(name, settings);
  return {
    name,
    displayed: { enabled: coveredBy(settings.displayedAttributes) },
    searchable: { enabled: !reserved && coveredBy(settings.searchableAttributes) },
    sortable: { enabled: (!reserved || (geo && name !== '_geojson')) && coveredBy(settings.sortableAttributes) },
    distinct: { enabled: !reserved && settings.distinctAttribute === name },
    rankingRule: order ? { enabled: true, order } : { enabled: false },
    filterable: {
      enabled: facetSearch || equality || comparison,
      sortBy: facetOrder(settings, name),
      facetSearch,
      equality,
      comparison,
    },
    localized: { locales },
  };
}

function customOrder(name: string, rules: string[]): string | undefined {
  const rule = rules.find((entry) => entry === `${name}:asc` || entry === `${name}:desc`);
  return rule?.slice(name.length + 1);
}

/** Three-letter codes, the first letter in upper case. */
function localesOf(name: string, settings: IndexSettings): string[] {
  return (attributeLocales(settings, name) ?? [])
    .filter((code) => languageNumber(code) > 0)
    .map((code) => code[0]!.toUpperCase() + code.slice(1));
}
