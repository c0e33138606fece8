import { generatesVectors } from '../../../bindings/embedders/models.js';
import { rankedFields } from '../../../bindings/engine/builder-config.js';
import { threeLetterCode } from '../../../bindings/engine/languages.js';
import { sortedSet } from '../../../bindings/engine/utf8.js';
import type { FilterableRule, IndexSettings } from '../../../bindings/index-types.js';
import { own } from '../../../bindings/own.js';
import { BOOLEAN, oneOf, STRING, STRINGS, UNSIGNED } from '../../../bindings/query/request-values.js';
import type { Kind } from '../../../bindings/query/validate.js';
import { CHAT, DEFAULT_CHAT, mergeChat } from './chat.js';
import { embeddersBuilt } from './embedders/built.js';
import { EMBEDDERS, type SentEmbedder } from './embedders/kinds.js';
import { mergeEmbedders } from './embedders/merge.js';
import { embedderDetails, showEmbedders } from './embedders/view.js';
import {
  FACETING,
  FILTERABLE_RULES,
  FOREIGN_KEYS,
  LOCALIZED_RULES,
  PAGINATION,
  RANKING_RULES,
  STRING_SET,
  SYNONYMS,
  TYPO_TOLERANCE,
} from './settings-kinds.js';

export const DEFAULT_SETTINGS: IndexSettings = {
  displayedAttributes: null,
  searchableAttributes: null,
  filterableAttributes: [],
  sortableAttributes: [],
  foreignKeys: [],
  rankingRules: ['words', 'typo', 'proximity', 'attributeRank', 'sort', 'wordPosition', 'exactness'],
  stopWords: [],
  nonSeparatorTokens: [],
  separatorTokens: [],
  dictionary: [],
  synonyms: {},
  distinctAttribute: null,
  proximityPrecision: 'byWord',
  typoTolerance: {
    enabled: true,
    minWordSizeForTypos: { oneTypo: 5, twoTypos: 9 },
    disableOnWords: [],
    disableOnAttributes: [],
    disableOnNumbers: false,
  },
  faceting: { maxValuesPerFacet: 100, sortFacetValuesBy: {} },
  pagination: { maxTotalHits: 1000 },
  searchCutoffMs: null,
  localizedAttributes: null,
  facetSearch: true,
  prefixSearch: 'indexingTime',
  embedders: {},
  embedderIds: 0,
  chat: DEFAULT_CHAT,
};

/**
 * The parts of a segment that depend on settings: dictionary and postings; columns for filters, facets and sorting; vectors.
 * Documents and keys depend on no setting.
 */
export const PARTS = ['words', 'columns', 'vectors'] as const;
export type Part = (typeof PARTS)[number];

export interface Setting {
  /** Path of the setting's own route below `/settings`. */
  route: string;
  verb: 'PUT' | 'PATCH';
  code: string;
  kind: Kind<unknown>;
  /** Applies a sent value to the settings; not called for null, which resets. */
  merge(stored: IndexSettings, sent: never): Partial<IndexSettings>;
  show(settings: IndexSettings): unknown;
  /** Shown in task details for a reset. */
  resetAs: unknown;
  /** Experimental feature without which the setting is refused, and left out of answers. */
  feature?: string;
  /** How a sent value is shown in task details; default: as sent. */
  details?(sent: never): unknown;
  /** Like {@link show} with secrets, for dumps and exports. */
  export?(settings: IndexSettings): unknown;
  /**
   * By part of a segment: the value on which the contents of the part depend. When it changes, the part is rebuilt. Absent: the
   * setting is read by searches, so a change applies at once.
   */
  built?: Partial<Record<Part, (settings: IndexSettings) => unknown>>;
}

type Options = Partial<
  Pick<Setting, 'verb' | 'code' | 'resetAs' | 'feature' | 'merge' | 'show' | 'details' | 'export' | 'built'>
>;

/** A setting whose sent value replaces the stored one, and is stored and shown as sent, unless `options` say otherwise. */
function setting(name: string, kind: Kind<unknown>, options: Options = {}): Setting {
  const words = name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  return {
    route: words,
    verb: 'PUT',
    code: `invalid_settings_${words.replaceAll('-', '_')}`,
    kind,
    merge: (_stored, sent) => ({ [name]: sent }),
    show: (settings) => own(settings, name),
    resetAs: null,
    ...options,
  };
}

/** A list of attributes in which `*` stands for all. */
function attributeList(name: 'displayedAttributes' | 'searchableAttributes', options: Options = {}): Setting {
  return setting(name, STRINGS, {
    merge: (_stored, sent: string[]) => ({ [name]: sent.includes('*') ? null : [...new Set(sent)] }),
    show: (settings) => settings[name] ?? ['*'],
    resetAs: ['*'],
    ...options,
  });
}

/** Every setting, in the order of answers and task details. */
export const SETTINGS: Record<string, Setting> = {
  displayedAttributes: attributeList('displayedAttributes'),
  searchableAttributes: attributeList('searchableAttributes', {
    built: {
      // The order only decides weights, which searches compute.
      words: ({ searchableAttributes: list }) => list && sortedSet(list),
      // Templates can ask which attributes are searchable.
      vectors: (settings) =>
        generatesVectors(settings) && settings.searchableAttributes ? sortedSet(settings.searchableAttributes) : null,
    },
  }),
  filterableAttributes: setting('filterableAttributes', FILTERABLE_RULES, {
    merge: (_stored, sent: FilterableRule[]) => ({ filterableAttributes: sent }),
    built: {
      columns: ({ filterableAttributes: rules }) => [
        sortedSet(rules.filter((rule) => typeof rule === 'string')),
        sortedSet(rules.flatMap((rule) => (typeof rule === 'string' ? [] : rule.attributePatterns))),
      ],
    },
  }),
  sortableAttributes: setting('sortableAttributes', STRING_SET, {
    built: { columns: ({ sortableAttributes }) => sortableAttributes },
  }),
  foreignKeys: setting('foreignKeys', FOREIGN_KEYS, { feature: 'foreignKeys' }),
  rankingRules: setting('rankingRules', RANKING_RULES, {
    built: { columns: ({ rankingRules }) => sortedSet(rankedFields(rankingRules)) },
  }),
  stopWords: setting('stopWords', STRING_SET, {
    merge: (_stored, sent: string[]) => ({ stopWords: sortedSet(sent.map((word) => word.normalize('NFKD'))) }),
    built: { words: ({ stopWords }) => stopWords },
  }),
  nonSeparatorTokens: setting('nonSeparatorTokens', STRING_SET, {
    built: { words: ({ nonSeparatorTokens }) => nonSeparatorTokens },
  }),
  separatorTokens: setting('separatorTokens', STRING_SET, { built: { words: ({ separatorTokens }) => separatorTokens } }),
  dictionary: setting('dictionary', STRING_SET, { built: { words: ({ dictionary }) => dictionary } }),
  synonyms: setting('synonyms', SYNONYMS),
  distinctAttribute: setting('distinctAttribute', STRING, {
    built: { columns: ({ distinctAttribute }) => distinctAttribute },
  }),
  proximityPrecision: setting('proximityPrecision', oneOf('byWord', 'byAttribute')),
  typoTolerance: setting('typoTolerance', TYPO_TOLERANCE, {
    verb: 'PATCH',
    merge: mergeTypoTolerance,
    built: {
      words: ({ typoTolerance: { disableOnAttributes, disableOnNumbers } }) => [sortedSet(disableOnAttributes), disableOnNumbers],
    },
  }),
  faceting: setting('faceting', FACETING, {
    verb: 'PATCH',
    merge: ({ faceting }, sent: Partial<IndexSettings['faceting']>) => ({
      faceting: over(faceting, sent, DEFAULT_SETTINGS.faceting),
    }),
    show: ({ faceting: { maxValuesPerFacet, sortFacetValuesBy } }) => ({
      maxValuesPerFacet,
      sortFacetValuesBy: sortedMap({ '*': 'alpha', ...sortFacetValuesBy }),
    }),
  }),
  pagination: setting('pagination', PAGINATION, {
    verb: 'PATCH',
    merge: ({ pagination }, sent: Partial<IndexSettings['pagination']>) => ({
      pagination: over(pagination, sent, DEFAULT_SETTINGS.pagination),
    }),
  }),
  embedders: setting('embedders', EMBEDDERS, {
    verb: 'PATCH',
    merge: (stored, sent: Record<string, SentEmbedder | null>) => mergeEmbedders(stored, sent),
    show: ({ embedders }) => showEmbedders(embedders, false),
    export: ({ embedders }) => showEmbedders(embedders, true),
    details: embedderDetails,
    built: { vectors: ({ embedders }) => embeddersBuilt(embedders) },
  }),
  searchCutoffMs: setting('searchCutoffMs', UNSIGNED),
  localizedAttributes: setting('localizedAttributes', LOCALIZED_RULES, {
    merge: (_stored, sent: { attributePatterns: string[]; locales: string[] }[]) => ({
      localizedAttributes: sent.map(({ attributePatterns, locales }) => ({
        attributePatterns,
        locales: locales.map((code) => threeLetterCode(code)!),
      })),
    }),
    built: { words: ({ localizedAttributes }) => localizedAttributes ?? [] },
  }),
  facetSearch: setting('facetSearch', BOOLEAN),
  prefixSearch: setting('prefixSearch', oneOf('indexingTime', 'disabled')),
  chat: setting('chat', CHAT, {
    verb: 'PATCH',
    code: 'invalid_settings_index_chat',
    feature: 'chatCompletions',
    merge: mergeChat,
  }),
};

/** Applies the sent members of an object to the stored ones; null takes the default. */
function over<T extends object>(stored: T, sent: { [K in keyof T]?: T[K] | null }, initial: T): T {
  const entries = Object.entries(sent).map(([name, value]) => [name, value ?? own(initial, name)]);
  return { ...stored, ...Object.fromEntries(entries) };
}

type SentTypoTolerance = {
  [K in Exclude<keyof IndexSettings['typoTolerance'], 'minWordSizeForTypos'>]?: IndexSettings['typoTolerance'][K] | null;
} & { minWordSizeForTypos?: { oneTypo?: number | null; twoTypos?: number | null } | null };

function mergeTypoTolerance({ typoTolerance: stored }: IndexSettings, sent: SentTypoTolerance): Partial<IndexSettings> {
  const initial = DEFAULT_SETTINGS.typoTolerance;
  const { minWordSizeForTypos: sizes, disableOnWords: words, ...others } = sent;
  return {
    typoTolerance: {
      ...over(stored, others, initial),
      disableOnWords: words === undefined ? stored.disableOnWords : sortedSet(words ?? []),
      minWordSizeForTypos:
        sizes === null ? initial.minWordSizeForTypos : over(stored.minWordSizeForTypos, sizes ?? {}, initial.minWordSizeForTypos),
    },
  };
}

function sortedMap<T>(map: Record<string, T>): Record<string, T> {
  return Object.fromEntries(sortedSet(Object.keys(map)).map((name) => [name, own(map, name)!]));
}

/** The parts of segments that new settings require to be rebuilt. */
export function changedParts(before: IndexSettings, after: IndexSettings): Set<Part> {
  const differs = (part: Part) =>
    Object.values(SETTINGS).some(
      ({ built }) => JSON.stringify(built?.[part]?.(before)) !== JSON.stringify(built?.[part]?.(after)),
    );
  return new Set(PARTS.filter(differs));
}

/** All settings as `GET /settings` shows them. */
export function showSettings(settings: IndexSettings, features: Readonly<Record<string, boolean>>): Record<string, unknown> {
  const shown = Object.entries(SETTINGS).filter(([, { feature }]) => !feature || own(features, feature));
  return Object.fromEntries(shown.map(([name, { show }]) => [name, show(settings)]));
}

/** All settings, for another instance; those behind an experimental feature only if they are set. */
export function shownSettings(settings: IndexSettings): Record<string, unknown> {
  const isSet = ({ show }: Setting) => JSON.stringify(show(settings)) !== JSON.stringify(show(DEFAULT_SETTINGS));
  const entries = Object.entries(SETTINGS).filter(([, setting]) => !setting.feature || isSet(setting));
  return Object.fromEntries(entries.map(([name, { show, export: exported = show }]) => [name, exported(settings)]));
}
