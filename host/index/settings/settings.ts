import { generatesVectors } from '../../../bindings/embedders/models.js';
import { rankedFields } from '../../../bindings/engine/builder-config.js';
import { threeLetterCode } from '../../../bindings/engine/languages.js';
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
  sortedSet,
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
 * What of a segment settings decide: its dictionary and postings, the columns for filters, facets and sorting, the vectors. Its documents and
 * their keys no setting changes.
 */
export const PARTS = ['words', 'columns', 'vectors'] as const;
export type Part = (typeof PARTS)[number];

export interface Setting {
  /** Path of its own route below `/settings`. */
  route: string;
  verb: 'PUT' | 'PATCH';
  code: string;
  kind: Kind<unknown>;
  /** The settings with a value that was sent laid over them; not asked for null, which resets. */
  merge(stored: IndexSettings, sent: never): Partial<IndexSettings>;
  show(settings: IndexSettings): unknown;
  /** Shown in task details for a reset. */
  resetAs: unknown;
  /** Experimental feature without which it is neither taken nor shown among the others. */
  feature?: string;
  /** How a sent value is shown in task details; else as it was sent. */
  details?(sent: never): unknown;
  /** As {@link show}, with secrets, for dumps and other instances. */
  export?(settings: IndexSettings): unknown;
  /**
   * What of it is built into segments, by the part that has it, in a form that is equal where the same is built: where that differs, the
   * part is built anew. Absent: searches read the setting, and a change of it applies at once.
   */
  built?: Partial<Record<Part, (settings: IndexSettings) => unknown>>;
}

type Options = Partial<
  Pick<Setting, 'verb' | 'code' | 'resetAs' | 'feature' | 'merge' | 'show' | 'details' | 'export' | 'built'>
>;

/** A setting that a sent value replaces whole, stored and shown as sent, unless `options` say otherwise. */
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

/** `*` anywhere in the list stands for every attribute. */
function attributeList(name: 'displayedAttributes' | 'searchableAttributes', options: Options = {}): Setting {
  return setting(name, STRINGS, {
    merge: (_stored, sent: string[]) => ({ [name]: sent.includes('*') ? null : [...new Set(sent)] }),
    show: (settings) => settings[name] ?? ['*'],
    resetAs: ['*'],
    ...options,
  });
}

/** Every setting, in the order in which routes and task details show them. */
export const SETTINGS: Record<string, Setting> = {
  displayedAttributes: attributeList('displayedAttributes'),
  searchableAttributes: attributeList('searchableAttributes', {
    built: {
      // their order is a matter of weights, which searches work out
      words: ({ searchableAttributes: list }) => list && sortedSet(list),
      // templates see which attributes are searchable
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

/** A part of an object laid over what is stored; null takes the default. */
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

/** The parts of segments that have to be built anew for new settings. */
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

/** All settings as another instance takes them; of those behind an experimental feature only the ones that were set. */
export function shownSettings(settings: IndexSettings): Record<string, unknown> {
  const isSet = ({ show }: Setting) => JSON.stringify(show(settings)) !== JSON.stringify(show(DEFAULT_SETTINGS));
  const entries = Object.entries(SETTINGS).filter(([, setting]) => !setting.feature || isSet(setting));
  return Object.fromEntries(entries.map(([name, { show, export: exported = show }]) => [name, exported(settings)]));
}
