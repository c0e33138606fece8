export interface FilterFeatures {
  facetSearch: boolean;
  filter: { equality: boolean; comparison: boolean };
}

/** An entry of `filterableAttributes`: a field including everything nested, or patterns with the features that they enable. */
export type FilterableRule = string | { attributePatterns: string[]; features: FilterFeatures };

export type RankingRule = string;

export const EMBEDDER_SOURCES = ['openAi', 'huggingFace', 'ollama', 'userProvided', 'rest', 'composite'] as const;
export type EmbedderSource = (typeof EMBEDDER_SOURCES)[number];

/** Any JSON value; its strings are Liquid templates. */
export interface Fragment {
  value: unknown;
}

/** Mean and standard deviation of the similarities of a model. */
export interface Distribution {
  mean: number;
  sigma: number;
}

/** The settings of an embedder; absent members have the defaults of the source. */
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
  /** Number of its vectors in segments; changes when vectors of another form follow. Nested embedders have none. */
  id?: number;
  /** Dimensions reported by the model, when they are not set. */
  inferredDimensions?: number;
  /** Number of each indexing fragment, kept while it exists: the ordinals of a document's vectors. */
  fragmentIds?: Record<string, number>;
}

/** A field with the keys of documents of another index. */
export interface ForeignKey {
  foreignIndexUid: string;
  fieldName: string;
}

/** How chats search the index, and how its documents are shown to models. */
export interface ChatSettings {
  /** What the index contains, in a text for models. */
  description: string;
  documentTemplate: string;
  documentTemplateMaxBytes: number;
  /** Members of a search body; only those that were set. */
  searchParameters: Record<string, unknown>;
}

/** The settings of an index with all defaults filled in, as searches read them. */
export interface IndexSettings {
  /** null: all attributes. */
  displayedAttributes: string[] | null;
  searchableAttributes: string[] | null;
  filterableAttributes: FilterableRule[];
  sortableAttributes: string[];
  foreignKeys: ForeignKey[];
  rankingRules: RankingRule[];
  /** In compatibility decomposition, with case and marks. */
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
  /** By name, sorted by UTF-8 bytes. */
  embedders: Record<string, EmbedderSettings>;
  /** The next number for an embedder: how many were assigned so far. */
  embedderIds: number;
  chat: ChatSettings;
}

/** A segment in a view of its index. */
export interface SegmentRef {
  /** Unique within the database. */
  id: number;
  /** File name in the folder of segments. */
  file: string;
  docCount: number;
  liveCount: number;
  residentLength: number;
  fileLength: number;
  /** Number and address of the shared memory that has the resident part. */
  memory: number;
  pointer: number;
  /** Address in the same memory of the bitmap of deleted documents (local numbers); 0 when none is deleted. */
  tombstones: number;
  /** Address in the same memory of the compressed documents; 0 when they are read from the file. */
  documents: number;
}

/** A consistent state of an index, as search threads see it; each commit creates a new one. */
export interface IndexView {
  uid: string;
  /** Increases with every commit of any index. */
  version: number;
  primaryKey: string | null;
  settings: IndexSettings;
  /** Field id -> path, in the order of first appearance. */
  fields: string[];
  segments: SegmentRef[];
}
