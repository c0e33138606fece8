import type { TokenizerConfig } from './engine/tokenizer.js';

export interface FilterFeatures {
  facetSearch: boolean;
  filter: { equality: boolean; comparison: boolean };
}

/** An entry of `filterableAttributes`: a field with what is nested under it, or patterns with the features they switch on. */
export type FilterableRule = string | { attributePatterns: string[]; features: FilterFeatures };

export type RankingRule = string;

export const EMBEDDER_SOURCES = ['openAi', 'huggingFace', 'ollama', 'userProvided', 'rest', 'composite'] as const;
export type EmbedderSource = (typeof EMBEDDER_SOURCES)[number];

/** Any JSON; Liquid templates in its strings. */
export interface Fragment {
  value: unknown;
}

/** How the similarities of a model lie between 0 and 1. */
export interface Distribution {
  mean: number;
  sigma: number;
}

/** What was set of an embedder; what is absent has the default of its source. */
export interface EmbedderSettings {
  source: EmbedderSource;
  model?: string;
  revision?: string;
  pooling?: 'useModel' | 'forceMean' | 'forceCls';
  apiKey?: string;
  dimensions?: number;
  binaryQuantized?: boolean;
  documentTemplate?: string;
  documentTemplateMaxBytes?: number;
  url?: string;
  indexingFragments?: Record<string, Fragment>;
  searchFragments?: Record<string, Fragment>;
  request?: unknown;
  response?: unknown;
  headers?: Record<string, string>;
  searchEmbedder?: EmbedderSettings;
  indexingEmbedder?: EmbedderSettings;
  distribution?: Distribution;
  /** What its vectors have in segments; another one when vectors of another form follow. Nested embedders have none. */
  id?: number;
  /** As the model told them, where they are not set. */
  inferredDimensions?: number;
  /** Of each indexing fragment, kept while it exists: a document's vectors stand in this order. */
  fragmentIds?: Record<string, number>;
}

/** A field that holds keys of documents of another index. */
export interface ForeignKey {
  foreignIndexUid: string;
  fieldName: string;
}

/** How chats search the index, and what they show a model of its documents. */
export interface ChatSettings {
  /** For models: what the index holds. */
  description: string;
  documentTemplate: string;
  documentTemplateMaxBytes: number;
  /** Members of the body of a search; only those that were set. */
  searchParameters: Record<string, unknown>;
}

/** The settings of an index with every default filled in: what routes show after formatting, and what searches read. */
export interface IndexSettings {
  /** null: every attribute. */
  displayedAttributes: string[] | null;
  searchableAttributes: string[] | null;
  filterableAttributes: FilterableRule[];
  sortableAttributes: string[];
  foreignKeys: ForeignKey[];
  rankingRules: RankingRule[];
  /** Compatibility-decomposed, case and marks kept. */
  stopWords: string[];
  nonSeparatorTokens: string[];
  separatorTokens: string[];
  dictionary: string[];
  synonyms: Record<string, string[]>;
  distinctAttribute: string | null;
  proximityPrecision: 'byWord' | 'byAttribute';
  typoTolerance: {
    enabled: boolean;
    minWordSizeForTypos: { oneTypo: number; twoTypos: number };
    disableOnWords: string[];
    disableOnAttributes: string[];
    disableOnNumbers: boolean;
  };
  faceting: { maxValuesPerFacet: number; sortFacetValuesBy: Record<string, 'alpha' | 'count'> };
  pagination: { maxTotalHits: number };
  /** null: 1500 ms. */
  searchCutoffMs: number | null;
  localizedAttributes: { attributePatterns: string[]; locales: string[] }[] | null;
  facetSearch: boolean;
  prefixSearch: 'indexingTime' | 'disabled';
  /** By name, names in bytewise order. */
  embedders: Record<string, EmbedderSettings>;
  /** How many ids embedders have been given: the next one. */
  embedderIds: number;
  chat: ChatSettings;
}

export function tokenizerConfig(settings: IndexSettings): TokenizerConfig {
  const { stopWords, separatorTokens, nonSeparatorTokens, dictionary } = settings;
  return { stopWords, separatorTokens, nonSeparatorTokens, dictionary };
}

/** A segment as a view of its index names it. */
export interface SegmentRef {
  /** Unique within the database. */
  id: number;
  /** Name of the file below the folder of segments. */
  file: string;
  docCount: number;
  liveCount: number;
  residentLength: number;
  fileLength: number;
  /** Which of the process's memories holds the resident part, and where. */
  memory: number;
  pointer: number;
  /** Address in the same memory of the bitmap of deleted documents (local numbers); 0 when none is deleted. */
  tombstones: number;
}

/** One consistent state of an index, as search workers see it; a commit makes a new one. */
export interface IndexView {
  uid: string;
  /** Grows with every commit of any index. */
  version: number;
  primaryKey: string | null;
  settings: IndexSettings;
  /** Field id -> path, in the order of first appearance. */
  fields: string[];
  segments: SegmentRef[];
}
