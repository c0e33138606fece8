import {
  ATTRIBUTE_SEARCHED,
  FilterPlan,
  NO_FIELD,
  Plan,
  type Plan as PlanAddress,
  PlanRule,
  type PlanRuleFields,
  RULE_ATTRIBUTE_RANK,
  RULE_EXACT_ATTRIBUTE,
  RULE_EXACT_WORDS,
  RULE_FIELD,
  RULE_GEO,
  RULE_PROXIMITY,
  RULE_SIMILARITY,
  RULE_TYPO,
  RULE_WORD_POSITION,
  RULE_WORDS,
  STRATEGY_ALL,
  STRATEGY_FREQUENCY,
  STRATEGY_LAST,
  VectorTarget,
} from '../engine/exports.js';
import { putTarget, type Target } from '../engine/nearest-vectors.js';
import { type Piece, RecordWriter } from '../engine/record-writer.js';
import type { IndexReader } from '../engine/segments.js';
import { putLocales } from '../engine/tokenizer.js';
import type { IndexView } from '../index-types.js';
import { isBlank, type MatchingStrategy, type SearchRequest } from '../query/request.js';
import { isDisplayed } from '../query/visible-names.js';
import { searchedFields } from './attributes.js';
import { indexPlan } from './index-plan.js';
import type { Rule } from './rules.js';

/** What to rank, and how many documents. */
export interface RankRequest {
  /** A null or blank query: all documents. */
  request: Pick<SearchRequest, 'q' | 'attributesToSearchOn' | 'matchingStrategy'>;
  /** Path of the field for distinct: each value is shown once. */
  distinct: string | null;
  /** Number of documents wanted, from the first rank on. */
  needed: number;
  /** With distinct, counts over all documents instead of those that were evaluated. */
  exhaustive: boolean;
  /** Scores or score details are requested. */
  detailed: boolean;
  /** Highlights or match positions are requested. */
  matches: boolean;
}

/** By what documents are ranked, and how long. */
export interface Ranking {
  rules: readonly Rule[];
  /** Possible languages of the query; empty: any. */
  locales: readonly string[];
  /** Of the documents that match the query, only those that it selects are found; 0: all. */
  filter: FilterPlan;
  /** Documents with a lower score are left out. */
  threshold: number | null;
  /** The vector to compare documents with, and how many of the nearest are looked for at a time; null: none. */
  vectors: { target: Target; roundSize: number; deadline: number } | null;
  /** Deadline on the engine's clock, after which documents are no longer distinguished. */
  deadline: number;
}

/** A request for all documents, of which none is needed. */
export const ALL_DOCUMENTS: RankRequest = {
  request: { q: null, attributesToSearchOn: null, matchingStrategy: 'last' },
  distinct: null,
  needed: 0,
  exhaustive: false,
  detailed: false,
  matches: false,
};

/** Documents in internal order, however long that takes. */
export const UNRANKED: Ranking = {
  rules: [],
  locales: [],
  filter: FilterPlan.at(0),
  threshold: null,
  vectors: null,
  deadline: Number.POSITIVE_INFINITY,
};

const KINDS: Record<Rule['kind'], number> = {
  words: RULE_WORDS,
  typo: RULE_TYPO,
  proximity: RULE_PROXIMITY,
  attributeRank: RULE_ATTRIBUTE_RANK,
  wordPosition: RULE_WORD_POSITION,
  exactAttribute: RULE_EXACT_ATTRIBUTE,
  exactWords: RULE_EXACT_WORDS,
  field: RULE_FIELD,
  geo: RULE_GEO,
  vector: RULE_SIMILARITY,
};

const STRATEGIES: Record<MatchingStrategy, number> = {
  all: STRATEGY_ALL,
  last: STRATEGY_LAST,
  frequency: STRATEGY_FREQUENCY,
};

/**
 * Cost model: smaller buckets are read document by document, unless their words have many postings; looking up a document's
 * positions costs as much as reading this many postings. Not constants, so that tests can exercise both strategies on small
 * corpora.
 */
export const partitionLimits = { largeBucket: 128, postingsPerDocument: 8 };

/**
 * Most UTF-16 units of a query that are read. The first 1000 tokens, which the query is limited to, are shorter unless they are
 * longer than any indexed word.
 */
const MAX_QUERY_UNITS = 1 << 16;

/** Writes the plan into scratch memory. @param universe bitmap of the documents to search; 0: all that are not deleted */
export function putPlan(
  reader: IndexReader,
  universe: number,
  { request, distinct, needed, exhaustive, detailed, matches }: RankRequest,
  { rules, locales, filter, threshold, vectors, deadline }: Ranking,
): PlanAddress {
  const { instance } = reader;
  const settings = indexPlan(reader);
  const index = instance.put(settings.bytes);
  const searched = request.attributesToSearchOn ? searchedFields(reader, request.attributesToSearchOn) : null;
  const text = isBlank(request.q) ? null : instance.putText((request.q as string).slice(0, MAX_QUERY_UNITS));
  return instance.putStructures(Plan, [
    {
      deadline,
      threshold: threshold ?? -1,
      index: index as never,
      universe,
      filter,
      bitmapBytes: reader.bitmapBytes,
      segments: reader.inPlan(),
      target: vectors ? putTarget(instance, vectors.target, vectors.deadline) : VectorTarget.at(0),
      roundSize: vectors?.roundSize ?? 0,
      text: text?.pointer ?? 0,
      textLength: text?.length ?? 0,
      locales: locales.length === 0 ? 0 : putLocales(instance, locales),
      fieldFlags:
        searched === null ? index + settings.fieldFlagsAt : instance.put(restrictedFlags(settings.fieldFlags, searched)),
      restricted: searched === null ? 0 : 1,
      searchesNothing: searched?.size === 0 ? 1 : 0,
      strategy: STRATEGIES[request.matchingStrategy],
      rules: instance.put(encodedRules(reader, rules)),
      ruleCount: rules.length,
      needed,
      isDistinct: distinct === null ? 0 : 1,
      distinctField: distinct === null ? NO_FIELD : fieldOf(reader, distinct),
      exhaustive: exhaustive ? 1 : 0,
      detailed: detailed ? 1 : 0,
      matches: matches ? 1 : 0,
      largeBucket: partitionLimits.largeBucket,
      postingsPerDocument: partitionLimits.postingsPerDocument,
    },
  ]) as PlanAddress;
}

function restrictedFlags(fieldFlags: Uint8Array, searched: ReadonlySet<number>): Uint8Array {
  return fieldFlags.map((flags, id) => (searched.has(id) ? flags : flags & ~ATTRIBUTE_SEARCHED));
}

/** Encoded rules, cached because lists of rules are cached too. */
const encoded = new WeakMap<readonly Rule[], { view: IndexView; bytes: Uint8Array }>();

function encodedRules(reader: IndexReader, rules: readonly Rule[]): Uint8Array {
  const known = encoded.get(rules);
  if (known?.view === reader.view) return known.bytes;
  const record = new RecordWriter(rules.length * PlanRule.bytes);
  for (const rule of rules) record.put(PlanRule, ruleFields(reader, rule, record));
  const bytes = record.finish();
  encoded.set(rules, { view: reader.view, bytes });
  return bytes;
}

function ruleFields(reader: IndexReader, rule: Rule, record: RecordWriter): PlanRuleFields {
  const isGeo = rule.kind === 'geo';
  const name = nameOf(rule, record);
  return {
    lat: isGeo ? rule.lat : 0,
    lng: isGeo ? rule.lng : 0,
    kind: KINDS[rule.kind],
    field: rule.kind === 'field' ? fieldOf(reader, rule.path) : NO_FIELD,
    ascending: (isGeo || rule.kind === 'field') && rule.ascending ? 1 : 0,
    isMerged: 'merged' in rule && rule.merged ? 1 : 0,
    isHidden: rule.kind === 'field' && !isDisplayed(reader.view.settings, rule.path) ? 1 : 0,
    name: name.at,
    nameLength: name.length,
  };
}

/** What score details call a rule that sorts. */
function nameOf(rule: Rule, record: RecordWriter): Piece {
  switch (rule.kind) {
    case 'field':
      return record.text(rule.path);
    case 'geo':
      return record.text(`_geoPoint(${rule.lat}, ${rule.lng})`);
    case 'vector':
      return record.piece(new Uint8Array(rule.target.buffer, rule.target.byteOffset, rule.target.byteLength));
    default:
      return { at: 0, length: 0 };
  }
}

function fieldOf(reader: IndexReader, path: string): number {
  const id = reader.fieldId(path);
  return id < 0 ? NO_FIELD : id;
}
