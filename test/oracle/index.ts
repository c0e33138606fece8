import type { IndexSettings } from '../../bindings/index-types.js';
import { Corpus, type IndexedDocument, type Within } from './corpus.js';
import { pathsOf } from './facet-values.js';
import { type FacetAnswer, facetAnswer } from './facets.js';
import { compileFilter, type FilterContext, filterFeatures } from './filter.js';
import { QueryGraph } from './graph.js';
import { type JsonObject, parseJson } from './json.js';
import { type Ranked, Ranking } from './ranking.js';
import { type Rule, ruleList, type SortItem } from './rules/list.js';
import type { Direction } from './rules/sort.js';
import { type MatchingStrategy, matchingDocuments, removalOrder } from './rules/words.js';
import { type Details, details, fold } from './scores.js';
import { completeSettings, type SentSettings } from './settings.js';
import { unrestricted } from './state.js';
import { covers, matchesPattern, Refusal } from './text.js';

export interface SearchBody {
  q?: string | null;
  offset?: number;
  limit?: number;
  page?: number | null;
  hitsPerPage?: number | null;
  filter?: unknown;
  facets?: string[] | null;
  sort?: string[] | null;
  distinct?: string | null;
  matchingStrategy?: MatchingStrategy;
  rankingScoreThreshold?: number | null;
  attributesToSearchOn?: string[] | null;
}

export interface OracleAnswer {
  /** Internal ids, in order. */
  hits: number[];
  scores: number[];
  details: Details[];
  /** `estimatedTotalHits`, or `totalHits` in page mode. */
  total: number;
  facets: FacetAnswer | null;
}

export interface SentDocument {
  internalId: number;
  /** JSON text, or the value itself where the text of its numbers does not matter. */
  json: string | object;
}

/**
 * A slow, plain index that answers searches as the rules of relevancy are written down: every document is looked at for every
 * question. It is what the engine is tested against, and shares no code with it.
 */
export class OracleIndex {
  readonly settings: IndexSettings;
  readonly corpus: Corpus;
  readonly #paths: ReadonlySet<string>;

  /** @param formerPaths paths of documents that are gone: they stay known. */
  constructor(settings: SentSettings, documents: readonly SentDocument[], formerPaths: Iterable<string> = []) {
    this.settings = completeSettings(settings);
    const parsed = documents.map(({ internalId, json }) => ({ internalId, json: parseDocument(json) }));
    this.corpus = new Corpus(this.settings, parsed);
    this.#paths = new Set([...parsed.flatMap(({ json }) => [...pathsOf(json)]), ...formerPaths]);
  }

  /** Answers a search; throws a {@link Refusal} with the documented code. */
  search(body: SearchBody): OracleAnswer {
    const { settings } = this;
    const cap = settings.pagination.maxTotalHits;
    const { offset, limit } = pageOf(body, cap);
    const { hits, counted } = this.rank(body);
    const shown = hits.slice(offset, offset + limit);
    return {
      hits: shown.map(({ document }) => document.internalId),
      scores: shown.map(({ steps }) => fold(steps)),
      details: shown.map(({ steps }) => details(steps, settings.displayedAttributes)),
      total: Math.min(counted.size, cap),
      facets: body.facets ? this.facets(body.facets, counted) : null,
    };
  }

  /** Counts facets among documents. */
  facets(asked: readonly string[], counted: Iterable<IndexedDocument>): FacetAnswer {
    return facetAnswer(asked, inOrder(counted), this.#filterContext, this.settings.faceting);
  }

  /** The rules that a search ranks by. */
  rules(body: SearchBody): Rule[] {
    const isPlaceholder = (body.q ?? '').trim() === '';
    return ruleList(this.settings.rankingRules, sortItems(body.sort ?? []), body.matchingStrategy ?? 'last', isPlaceholder);
  }

  get #filterContext(): FilterContext {
    return { filterable: this.settings.filterableAttributes, known: this.#paths };
  }

  /** Hits from the first on, and the documents that the answer counts; throws as {@link search} does. */
  rank(body: SearchBody): Ranked {
    const { settings, corpus } = this;
    // The answer is the first failed check.
    const sort = sortItems(body.sort ?? []);
    const within = this.#searchedAttributes(body.attributesToSearchOn ?? null);
    const distinct = this.#distinct(body);
    const passes = compileFilter(body.filter, this.#filterContext);
    this.#checkSortable(sort);
    const graph = new QueryGraph(body.q ?? '', corpus, within);
    const excluded = graph.excluded();
    const universe = corpus.documents.filter((document) => passes(document) && !excluded.has(document));

    const isPlaceholder = graph.terms.length === 0;
    const strategy = body.matchingStrategy ?? 'last';
    const removal = removalOrder(graph, isPlaceholder ? 'all' : strategy);
    const candidates = isPlaceholder ? universe : matchingDocuments(graph, removal, universe);
    const cap = settings.pagination.maxTotalHits;
    const { offset, limit, isPage } = pageOf(body, cap);
    const threshold = body.rankingScoreThreshold ?? null;
    const ranking = new Ranking(graph, ruleList(settings.rankingRules, sort, strategy, isPlaceholder), removal, {
      needed: isPage && threshold !== null ? cap : limit === 0 ? 0 : offset + limit,
      distinct,
      threshold,
      isCutOff: settings.searchCutoffMs === 0,
      isExhaustive: isPage,
    });
    const interpretations = isPlaceholder ? [] : graph.paths().map((path) => path.map(unrestricted));
    return ranking.run({ documents: candidates, live: { interpretations, isInitial: true } });
  }

  #distinct(body: SearchBody): string | null {
    if (!body.distinct) return this.settings.distinctAttribute;
    const { equality, comparison } = filterFeatures(this.settings.filterableAttributes, body.distinct);
    if (!equality && !comparison) throw new Refusal('invalid_search_distinct');
    return body.distinct;
  }

  #checkSortable(sort: readonly SortItem[]): void {
    const { sortableAttributes, rankingRules } = this.settings;
    for (const item of sort) {
      const path = 'point' in item ? '_geo' : item.field;
      const allowed = sortableAttributes.some((entry) => covers(entry, path));
      if (!allowed || !rankingRules.includes('sort')) throw new Refusal('invalid_search_sort');
    }
  }

  /** The attributes a request searches; null when it does not say. */
  #searchedAttributes(entries: readonly string[] | null): Within {
    if (entries === null) return null;
    const { searchableAttributes } = this.settings;
    const searchable = [...this.#paths].filter((path) => this.corpus.isSearchable(path));
    const found = new Set<string>();
    for (const entry of entries) {
      if (entry === '*') continue;
      const matching = entry.includes('*') ? searchable.filter((path) => matchesPattern(entry, path)) : [];
      const chosen = searchable.includes(entry) ? [entry] : matching;
      for (const path of chosen) found.add(path);
      const isKnown = chosen.length > 0 || searchableAttributes === null || searchableAttributes.includes(entry);
      if (!isKnown) throw new Refusal('invalid_search_attributes_to_search_on');
    }
    const ids = [...this.corpus.attributes.entries()].filter(([, { path }]) => found.has(path)).map(([id]) => id);
    return entries.includes('*') ? null : new Set(ids);
  }
}

function sortItems(items: readonly string[]): SortItem[] {
  return items.map((item) => {
    const parts = /^(.+):(asc|desc)$/s.exec(item);
    if (!parts) throw new Refusal('invalid_search_sort');
    const [, field, direction] = parts as unknown as [string, string, Direction];
    const geo = /^_geoPoint\(([^,]+),([^)]+)\)$/.exec(field);
    return geo ? { point: { lat: Number(geo[1]), lng: Number(geo[2]) }, direction } : { field, direction };
  });
}

function parseDocument(json: string | object): JsonObject {
  return parseJson(typeof json === 'string' ? json : JSON.stringify(json)) as JsonObject;
}

const inOrder = (documents: Iterable<IndexedDocument>): IndexedDocument[] =>
  [...documents].sort((a, b) => a.internalId - b.internalId);

/** Which hits are asked for, never more than `maxTotalHits` from the first. */
function pageOf(body: SearchBody, cap: number): { offset: number; limit: number; isPage: boolean } {
  const isPage = typeof body.page === 'number' || typeof body.hitsPerPage === 'number';
  const perPage = body.hitsPerPage ?? 20;
  const page = body.page ?? 1;
  const [from, count] = isPage ? [(page - 1) * perPage, page === 0 ? 0 : perPage] : [body.offset ?? 0, body.limit ?? 20];
  const offset = Math.min(Math.max(0, from), cap);
  return { offset, limit: Math.min(count, cap - offset), isPage };
}
