import { own } from '../../bindings/own.js';
import type { IndexStore } from '../index/index-store.js';
import { BUILT_IN_RULES } from '../index/settings/settings-kinds.js';
import type { ExportedPattern, TaskRecord } from '../tasks/task.js';
import type { Tally } from './tally.js';

type Settings = Record<string, unknown>;
type Values = Record<string, unknown>;

const size = (value: unknown) => (Array.isArray(value) ? value.length : Object.keys(value ?? {}).length);
const has = (value: unknown, item: string) => Array.isArray(value) && value.includes(item);

/** By setting: what is recorded of a change. Names of attributes, and words, are never recorded. */
const RECORDED: Record<string, (value: never) => Values> = {
  rankingRules: (rules: string[]) => ({
    ...Object.fromEntries(
      ['words', 'typo', 'proximity', 'attribute', 'sort', 'exactness'].map((rule) => {
        const position = rules.indexOf(rule);
        return [`ranking_rules.${rule}_position`, position < 0 ? null : position];
      }),
    ),
    'ranking_rules.values': rules.filter((rule) => BUILT_IN_RULES.includes(rule)).join(','),
  }),
  sortableAttributes: (list: string[]) => ({
    'sortable_attributes.total': list.length,
    'sortable_attributes.has_geo': has(list, '_geo'),
  }),
  filterableAttributes: (list: (string | { attributePatterns: string[] })[]) => ({
    'filterable_attributes.total': list.length,
    'filterable_attributes.has_geo': list.some(
      (rule) => rule === '_geo' || (typeof rule === 'object' && has(rule.attributePatterns, '_geo')),
    ),
    'filterable_attributes.has_patterns': list.some(
      (rule) => typeof rule === 'object' && rule.attributePatterns.some((text) => text.includes('*')),
    ),
  }),
  searchableAttributes: (list: string[]) => ({
    'searchable_attributes.total': list.length,
    'searchable_attributes.with_wildcard': has(list, '*'),
  }),
  displayedAttributes: (list: string[]) => ({
    'displayed_attributes.total': list.length,
    'displayed_attributes.with_wildcard': has(list, '*'),
  }),
  typoTolerance: ({ enabled, disableOnAttributes, disableOnWords, minWordSizeForTypos }: Settings) => {
    const sizes = (minWordSizeForTypos ?? {}) as Settings;
    return {
      'typo_tolerance.enabled': enabled ?? null,
      'typo_tolerance.disable_on_attributes': size(disableOnAttributes) > 0,
      'typo_tolerance.disable_on_words': size(disableOnWords) > 0,
      'typo_tolerance.min_word_size_for_typos.one_typo': sizes.oneTypo ?? null,
      'typo_tolerance.min_word_size_for_typos.two_typos': sizes.twoTypos ?? null,
    };
  },
  pagination: ({ maxTotalHits }: Settings) => ({ 'pagination.max_total_hits': maxTotalHits ?? null }),
  faceting: ({ maxValuesPerFacet, sortFacetValuesBy }: Settings) => ({
    'faceting.max_values_per_facet': maxValuesPerFacet ?? null,
    'faceting.sort_facet_values_by_star_count': (sortFacetValuesBy as Settings | undefined)?.['*'] === 'count',
    'faceting.sort_facet_values_by_total': size(sortFacetValuesBy),
  }),
  distinctAttribute: () => ({ 'distinct_attribute.set': true }),
  proximityPrecision: (value: string) => ({ 'proximity_precision.set': true, 'proximity_precision.value': value }),
  facetSearch: (value: boolean) => ({ 'facet_search.set': true, 'facet_search.value': value }),
  prefixSearch: (value: string) => ({ 'prefix_search.set': true, 'prefix_search.value': value }),
  stopWords: (list: string[]) => ({ 'stop_words.total': list.length }),
  separatorTokens: (list: string[]) => ({ 'separator_tokens.total': list.length }),
  nonSeparatorTokens: (list: string[]) => ({ 'non_separator_tokens.total': list.length }),
  dictionary: (list: string[]) => ({ 'dictionary.total': list.length }),
  synonyms: (map: Settings) => ({ 'synonyms.total': size(map) }),
  embedders: (map: Record<string, Settings | null>) => {
    const embedders = Object.values(map).filter((each) => each !== null);
    const templates = embedders.flatMap(({ documentTemplateMaxBytes }) => documentTemplateMaxBytes ?? []);
    return {
      'embedders.total': embedders.length,
      'embedders.sources': [...new Set(embedders.map(({ source }) => source ?? 'openAi'))],
      'embedders.document_template_used': embedders.some(({ documentTemplate }) => documentTemplate !== undefined),
      'embedders.document_template_max_bytes': templates.length === 0 ? null : Math.max(...templates.map(Number)),
      'embedders.binary_quantization_used': embedders.some(({ binaryQuantized }) => binaryQuantized === true),
    };
  },
};

/** Records what accepted tasks will do. */
export function noteTasks(tasks: TaskRecord[], indexStore: IndexStore, tally: Tally): void {
  for (const { work, indexUid } of tasks) {
    if (work?.kind === 'settings') noteSettings(work.patch, tally);
    else if (work?.kind === 'import') tally.add('index_creation', work.createsIndex && !indexStore.indexes.has(indexUid!));
    else if (work?.kind === 'indexCreation' && work.primaryKey !== null) tally.add('primary_key', work.primaryKey);
    else if (work?.kind === 'export') noteExport(work, tally);
  }
}

function noteSettings(patch: Settings, tally: Tally): void {
  for (const [name, value] of Object.entries(patch)) {
    if (value === null || value === undefined) continue;
    for (const [metric, recorded] of Object.entries(own(RECORDED, name)?.(value as never) ?? {})) tally.add(metric, recorded);
  }
}

interface ExportWork {
  apiKey: string | null;
  payloadSize: number | null;
  indexes: Record<string, ExportedPattern>;
}

function noteExport({ apiKey, payloadSize, indexes }: ExportWork, tally: Tally): void {
  const patterns = Object.values(indexes);
  tally.add('export.total_received');
  tally.add('export.has_api_key', apiKey !== null);
  tally.add('export.avg_index_patterns', patterns.length);
  tally.add('export.avg_patterns_with_filter', patterns.filter(({ filter }) => filter !== null).length);
  if (payloadSize !== null) tally.add('export.avg_payload_size', payloadSize);
}
