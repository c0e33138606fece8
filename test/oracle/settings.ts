import type { FilterableRule, IndexSettings } from '../../bindings/index-types.js';
import { lossless } from './tokenizer.js';

interface SentFilterableRule {
  attributePatterns: string[];
  features?: { facetSearch?: boolean; filter?: { equality?: boolean; comparison?: boolean } };
}

type Typos = IndexSettings['typoTolerance'];

/** Settings as users send them: any member may be missing, `["*"]` means every attribute. */
export interface SentSettings {
  displayedAttributes?: string[];
  searchableAttributes?: string[];
  filterableAttributes?: (string | SentFilterableRule)[];
  sortableAttributes?: string[];
  rankingRules?: string[];
  stopWords?: string[];
  nonSeparatorTokens?: string[];
  separatorTokens?: string[];
  dictionary?: string[];
  synonyms?: Record<string, string[]>;
  distinctAttribute?: string | null;
  proximityPrecision?: 'byWord' | 'byAttribute';
  typoTolerance?: Partial<Omit<Typos, 'minWordSizeForTypos'>> & { minWordSizeForTypos?: Partial<Typos['minWordSizeForTypos']> };
  faceting?: Partial<IndexSettings['faceting']>;
  pagination?: Partial<IndexSettings['pagination']>;
  searchCutoffMs?: number | null;
  prefixSearch?: 'indexingTime' | 'disabled';
}

export const DEFAULT_RANKING_RULES = ['words', 'typo', 'proximity', 'attributeRank', 'sort', 'wordPosition', 'exactness'];

/** Settings with every default filled in. */
export function completeSettings(sent: SentSettings): IndexSettings {
  const typos = sent.typoTolerance;
  return {
    displayedAttributes: allOr(sent.displayedAttributes),
    searchableAttributes: allOr(sent.searchableAttributes),
    filterableAttributes: (sent.filterableAttributes ?? []).map(completeRule),
    sortableAttributes: sent.sortableAttributes ?? [],
    rankingRules: sent.rankingRules ?? DEFAULT_RANKING_RULES,
    stopWords: (sent.stopWords ?? []).map(lossless),
    nonSeparatorTokens: sent.nonSeparatorTokens ?? [],
    separatorTokens: sent.separatorTokens ?? [],
    dictionary: sent.dictionary ?? [],
    synonyms: sent.synonyms ?? {},
    distinctAttribute: sent.distinctAttribute ?? null,
    proximityPrecision: sent.proximityPrecision ?? 'byWord',
    typoTolerance: {
      enabled: typos?.enabled ?? true,
      minWordSizeForTypos: { oneTypo: 5, twoTypos: 9, ...typos?.minWordSizeForTypos },
      disableOnWords: typos?.disableOnWords ?? [],
      disableOnAttributes: typos?.disableOnAttributes ?? [],
      disableOnNumbers: typos?.disableOnNumbers ?? false,
    },
    faceting: { maxValuesPerFacet: 100, sortFacetValuesBy: { '*': 'alpha' }, ...sent.faceting },
    pagination: { maxTotalHits: 1000, ...sent.pagination },
    searchCutoffMs: sent.searchCutoffMs ?? null,
    localizedAttributes: null,
    facetSearch: true,
    prefixSearch: sent.prefixSearch ?? 'indexingTime',
    embedders: {},
    embedderIds: 0,
    chat: { description: '', documentTemplate: '', documentTemplateMaxBytes: 400, searchParameters: {} },
    foreignKeys: [],
  };
}

function allOr(names: string[] | undefined): string[] | null {
  return !names || names.includes('*') ? null : [...new Set(names)];
}

function completeRule(rule: string | SentFilterableRule): FilterableRule {
  if (typeof rule === 'string') return rule;
  const { facetSearch = false, filter } = rule.features ?? {};
  return {
    attributePatterns: rule.attributePatterns,
    features: { facetSearch, filter: { equality: filter?.equality ?? true, comparison: filter?.comparison ?? false } },
  };
}
