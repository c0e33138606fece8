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
import { encodeLocales } from '../engine/tokenizer.js';
import { Query } from '../query/query.js';
import type { MatchingStrategy } from '../query/request.js';
import { isDisplayed } from '../query/visible-names.js';
import { searchedFields } from './attributes.js';
import { indexPlan } from './index-plan.js';
import type { Rule } from './rules.js';

/** How documents are ranked: what requests of one form share. */
export interface RankForm {
  rules: readonly Rule[];
  attributesToSearchOn: readonly string[] | null;
  matchingStrategy: MatchingStrategy;
  /** Possible languages of the query; empty: any. */
  locales: readonly string[];
  /** Path of the field for distinct: each value is shown once. */
  distinct: string | null;
  /** Documents with a lower score are left out. */
  threshold: number | null;
}

/** What to rank, how many documents, and how long. */
export interface RankQuery {
  /** Blank: all documents. */
  query: Query;
  /** Bitmap of the documents to search; 0: all that are not deleted. */
  universe: number;
  /** Of the documents that match the query, only those that it selects are found; 0: all. */
  filter: FilterPlan;
  /** Number of documents wanted, from the first rank on. */
  needed: number;
  /** With distinct, counts over all documents instead of those that were evaluated. */
  exhaustive: boolean;
  /** Scores or score details are requested. */
  detailed: boolean;
  /** Highlights or match positions are requested. */
  matches: boolean;
  /** Deadline on the engine's clock, after which documents are no longer distinguished. */
  deadline: number;
  /** The vector to compare documents with, and how many of the nearest are looked for at a time; null: none. */
  vectors: { target: Target; roundSize: number; deadline: number } | null;
}

/** Documents in internal order. */
export const UNRANKED: RankForm = {
  rules: [],
  attributesToSearchOn: null,
  matchingStrategy: 'last',
  locales: [],
  distinct: null,
  threshold: null,
};

/** All documents, of which none is needed, however long that takes. */
export const ALL_DOCUMENTS: RankQuery = {
  query: Query.of(null),
  universe: 0,
  filter: FilterPlan.at(0),
  needed: 0,
  exhaustive: false,
  detailed: false,
  matches: false,
  deadline: Number.POSITIVE_INFINITY,
  vectors: null,
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

/** A {@link RankForm} in the engine's form. */
export interface EncodedRanking {
  /** A Plan without what depends on the query, and what it refers to: with offsets in place of addresses. */
  bytes: Uint8Array;
  index: number;
  rules: number;
  fieldFlags: number;
  /** 0: any language. */
  locales: number;
}

/** @throws {ApiError} invalid_search_attributes_to_search_on */
export function encodeRanking(reader: IndexReader, form: RankForm): EncodedRanking {
  const { attributesToSearchOn, matchingStrategy, distinct, threshold } = form;
  const searched = attributesToSearchOn ? searchedFields(reader, attributesToSearchOn) : null;
  const record = new RecordWriter(Plan.bytes);
  const settings = indexPlan(reader);
  const index = record.piece(settings.bytes).at;
  const rules = record.piece(encodedRules(reader, form.rules)).at;
  const isRestricted = searched !== null;
  const flags = isRestricted ? record.piece(restrictedFlags(settings.fieldFlags, searched)).at : index + settings.fieldFlagsAt;
  const languages = encodeLocales(form.locales);
  const locales = languages[0] === 0 ? 0 : record.piece(languages).at;
  record.put(Plan, {
    ...NO_PLAN,
    bitmapBytes: reader.bitmapBytes,
    threshold: threshold ?? -1,
    restricted: isRestricted ? 1 : 0,
    searchesNothing: searched?.size === 0 ? 1 : 0,
    strategy: STRATEGIES[matchingStrategy],
    ruleCount: form.rules.length,
    isDistinct: distinct === null ? 0 : 1,
    distinctField: distinct === null ? NO_FIELD : fieldOf(reader, distinct),
  });
  return { bytes: record.finish().slice(), index, rules, fieldFlags: flags, locales };
}

const NO_PLAN = Plan.read(new DataView(new ArrayBuffer(Plan.bytes)), 0);

/** Writes a plan and what it refers to into scratch memory. */
export function putPlan(reader: IndexReader, ranking: EncodedRanking, asked: RankQuery): PlanAddress {
  const { instance } = reader;
  const { query, vectors } = asked;
  const { bytes: form, locales } = ranking;
  const target = vectors ? putTarget(instance, vectors.target, vectors.deadline) : VectorTarget.at(0);
  const at = instance.alloc(form.length + query.mostBytes);
  const text = at + form.length;
  const { bytes, view } = instance.views;
  bytes.set(form, at);
  const put = (offset: number, value: number) => view.setUint32(at + offset, value, true);
  const { offset } = Plan;
  view.setFloat64(at + offset.deadline, asked.deadline, true);
  put(offset.index, at + ranking.index);
  put(offset.universe, asked.universe);
  put(offset.filter, asked.filter);
  put(offset.segments, reader.inPlan());
  put(offset.target, target);
  put(offset.roundSize, vectors?.roundSize ?? 0);
  put(offset.text, text);
  put(offset.textLength, query.isBlank ? 0 : query.write(bytes, text, MAX_QUERY_UNITS));
  put(offset.locales, locales && at + locales);
  put(offset.fieldFlags, at + ranking.fieldFlags);
  put(offset.rules, at + ranking.rules);
  put(offset.needed, asked.needed);
  put(offset.exhaustive, Number(asked.exhaustive));
  put(offset.detailed, Number(asked.detailed));
  put(offset.matches, Number(asked.matches));
  put(offset.largeBucket, partitionLimits.largeBucket);
  put(offset.postingsPerDocument, partitionLimits.postingsPerDocument);
  return Plan.at(at);
}

function restrictedFlags(fieldFlags: Uint8Array, searched: ReadonlySet<number>): Uint8Array {
  return fieldFlags.map((flags, id) => (searched.has(id) ? flags : flags & ~ATTRIBUTE_SEARCHED));
}

function encodedRules(reader: IndexReader, rules: readonly Rule[]): Uint8Array {
  const record = new RecordWriter(rules.length * PlanRule.bytes);
  for (const rule of rules) record.put(PlanRule, ruleFields(reader, rule, record));
  return record.finish();
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
