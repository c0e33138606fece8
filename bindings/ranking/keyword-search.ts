import type { IndexReader } from '../engine/segments.js';
import { Tokenizer } from '../engine/tokenizer.js';
import { type MatchTerms, NO_MATCH_TERMS } from '../format/match-terms.js';
import { tokenizerConfig } from '../index-types.js';
import { type ParsedQuery, parseQuery, readPart } from '../query/parse.js';
import { matchesPattern } from '../query/patterns.js';
import { isBlank, type MatchingStrategy } from '../query/request.js';
import { attributeTable, isSearchable } from './attributes.js';
import { candidates } from './candidates.js';
import { type Collected, collect } from './collect.js';
import { Dictionary } from './derivations.js';
import { QueryGraph } from './graph.js';
import { matchTermsOf } from './match-terms.js';
import type { NodeSpace } from './node.js';
import { matchPhrase } from './phrases.js';
import { type RankingRun, rank, type TakeGroup } from './rank.js';
import { removalGroups } from './removal.js';
import { rulesOf, type SortRule } from './rules.js';
import { Sources } from './runs.js';
import { synonymTable } from './synonyms.js';
import { typoExceptions } from './typo-budget.js';

export interface KeywordRequest {
  q: string | null;
  attributesToSearchOn: readonly string[] | null;
  locales: readonly string[] | null;
  matchingStrategy: MatchingStrategy;
  sort: readonly SortRule[];
  distinct: string | null;
  threshold: number | null;
  needed: number;
  exhaustive: boolean;
  /** Scores or their details are asked for. */
  detailed: boolean;
  /** Highlights or match positions are asked for. */
  matches: boolean;
  expired(): boolean;
}

export interface KeywordAnswer extends Collected {
  matchTerms: MatchTerms;
}

/** Searches words in the documents of a bitmap (live documents that pass the filter). */
export function searchKeywords(reader: IndexReader, filtered: number, request: KeywordRequest): KeywordAnswer {
  const { view } = reader;
  const attributes = attributeTable(reader, request.attributesToSearchOn);
  const tokenizer = new Tokenizer(reader.instance, tokenizerConfig(view.settings));
  const parsed = parse(reader, tokenizer, request);
  const sources = new Sources(reader);
  const space: NodeSpace = {
    sources,
    attributes,
    dictionary: new Dictionary(sources, attributes),
    live: reader.liveBitmap(),
    scratch: sources.scratch,
  };
  excludeNegatives(space, parsed, filtered);
  const placeholder = parsed.terms.length === 0;
  const graph = new QueryGraph(space, parsed, typoExceptions(reader), synonymTable(view, tokenizer));
  const live = graph.interpretations();
  const strategy = request.matchingStrategy;
  const groups = placeholder || strategy === 'all' ? null : removalGroups(graph, strategy);
  let universe = placeholder ? filtered : candidates(space, live, groups, filtered);
  if (!placeholder && attributes.empty) universe = reader.newBitmap();
  const run: RankingRun = {
    space,
    engine: sources.engine,
    graph,
    groups,
    rules: rulesOf(view, request.sort, strategy, placeholder),
    dead: request.distinct === null ? 0 : reader.newBitmap(),
    nothing: reader.newBitmap(),
    detailed: request.detailed,
    threshold: request.threshold,
    removed: reader.newBitmap(),
    expired: request.expired,
  };
  const count = sources.engine.bitmapCount(universe, reader.bitmapBytes);
  const matchTerms = request.matches && !placeholder ? matchTermsOf(graph, parsed, request.locales !== null) : NO_MATCH_TERMS;
  const all = { bitmap: universe, count, live, context: null, step: null };
  const ranking = (take: TakeGroup): boolean => count === 0 || rank(run, all, [], take);
  const { needed, distinct, exhaustive } = request;
  const options = { needed, distinct, exhaustive, tied: run.rules.length > 0 };
  const { hits, counted } = collect(reader, ranking, universe, run.dead, run.removed, options);
  return { hits, counted, matchTerms };
}

function parse(reader: IndexReader, tokenizer: Tokenizer, request: KeywordRequest): ParsedQuery {
  const q = request.q ?? '';
  if (isBlank(q)) return { terms: [], negativeWords: [], negativePhrases: [], stopWords: [] };
  const locales = queryLocales(reader, request);
  const tokens = tokenizer.tokenize(readPart(q), locales.length > 0 ? { locales: [...locales] } : {});
  return parseQuery(tokens, reader.view.settings.prefixSearch !== 'disabled');
}

/** Languages the query may be in: those of the request, else those of the rules of the searched attributes. */
function queryLocales(reader: IndexReader, request: KeywordRequest): readonly string[] {
  if (request.locales !== null) return request.locales;
  const { settings, fields } = reader.view;
  const rules = settings.localizedAttributes;
  if (!rules) return [];
  const locales = new Set<string>();
  for (const path of fields) {
    if (!isSearchable(settings, path)) continue;
    const only = request.attributesToSearchOn;
    if (
      only &&
      !only.includes('*') &&
      !only.some((entry) => entry === path || (entry.includes('*') && matchesPattern(entry, path)))
    )
      continue;
    const rule = rules.find(({ attributePatterns }) => attributePatterns.some((pattern) => matchesPattern(pattern, path)));
    for (const locale of rule?.locales ?? []) locales.add(locale);
  }
  return [...locales];
}

/** Takes the documents out that hold an excluded word or phrase. */
function excludeNegatives(space: NodeSpace, parsed: ParsedQuery, filtered: number): void {
  const { sources, attributes, dictionary } = space;
  const { engine, reader } = sources;
  const bytes = reader.bitmapBytes;
  for (const word of parsed.negativeWords) {
    const holders = reader.newBitmap();
    const check = { attributes: attributes.kinds, restricted: attributes.restricted, tolerantOnly: false };
    sources.orInto(dictionary.find(word), holders, check);
    engine.bitmapAndNot(filtered, holders, bytes);
  }
  for (const words of parsed.negativePhrases) {
    const runs = words.map((word) => (word === null ? null : dictionary.find(word)));
    const matched = matchPhrase(sources, attributes, runs, filtered);
    if (matched !== 0) engine.bitmapAndNot(filtered, matched, bytes);
  }
}
