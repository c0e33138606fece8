import type { IndexedDocument } from './corpus.js';
import { distinctKeys } from './facet-values.js';
import type { QueryGraph } from './graph.js';
import { attributeRankRule, wordPositionRule } from './rules/attribute.js';
import type { Bucket, RankedBucket, RuleContext } from './rules/bucket.js';
import { exactAttributeRule, exactWordsRule } from './rules/exactness.js';
import type { Rule } from './rules/list.js';
import { proximityRule } from './rules/proximity.js';
import { fieldRule, geoRule } from './rules/sort.js';
import { typoRule } from './rules/typo.js';
import { type RemovalOrder, wordsRule } from './rules/words.js';
import { fold, isRanked, type Step } from './scores.js';

/** Runs the rules over the candidates until enough hits are settled. */

export interface RankingOptions {
  /** Hits to settle, from the first. */
  needed: number;
  distinct: string | null;
  threshold: number | null;
  /** No time at all: everything comes in the order of internal ids. */
  isCutOff: boolean;
  /** Count every candidate, as page mode does. */
  isExhaustive: boolean;
}

export interface Ranked {
  hits: { document: IndexedDocument; steps: readonly Step[] }[];
  counted: Set<IndexedDocument>;
}

interface TieGroup {
  documents: readonly IndexedDocument[];
  steps: readonly Step[];
}

export class Ranking {
  readonly #lost = new Set<IndexedDocument>();
  readonly #belowThreshold = new Set<IndexedDocument>();

  constructor(
    private readonly graph: QueryGraph,
    private readonly rules: readonly Rule[],
    private readonly removal: RemovalOrder,
    private readonly options: RankingOptions,
  ) {}

  run(start: Bucket): Ranked {
    const { needed, distinct } = this.options;
    const counted = new Set(start.documents);
    const hits: Ranked['hits'] = [];
    const winners = distinct === null ? null : new DistinctWinners(distinct, start.documents);
    for (const { documents, steps } of needed > 0 ? this.#tieGroups(start) : []) {
      for (const document of documents) {
        const losers = winners ? winners.take(document) : [];
        if (losers === null) {
          counted.delete(document);
          continue;
        }
        for (const loser of losers) {
          counted.delete(loser);
          this.#lost.add(loser);
        }
        hits.push({ document, steps });
      }
      if (hits.length >= needed) break;
    }
    for (const document of this.#belowThreshold) counted.delete(document);
    const exhaustive = distinct !== null && this.options.isExhaustive;
    return { hits: hits.slice(0, needed), counted: exhaustive ? firstOfEach(distinct, start.documents, counted) : counted };
  }

  /** Tied documents, best first. Without rules every document is a group, and a time limit has nothing to cut off. */
  *#tieGroups(start: Bucket): Generator<TieGroup> {
    if (this.rules.length === 0) {
      for (const document of start.documents) yield { documents: [document], steps: [] };
    } else if (start.documents.length > 0) yield* this.#cut(start, []);
  }

  *#cut(bucket: Bucket, steps: readonly Step[]): Generator<TieGroup> {
    const rule = this.rules[steps.length];
    if (!rule) {
      yield { documents: bucket.documents, steps };
      return;
    }
    if (this.options.isCutOff) {
      const reached: Step[] = [...steps, { rule: { kind: 'skipped' }, rank: 0, max: 1 }];
      if (!this.#isTooLow(reached)) yield { documents: bucket.documents, steps: reached };
      else for (const document of bucket.documents) this.#belowThreshold.add(document);
      return;
    }
    let rest = bucket.documents;
    for (const { step, ...inner } of this.#apply(rule, bucket)) {
      const reached = [...steps, step];
      if (this.#isTooLow(reached)) {
        for (const document of rest) this.#belowThreshold.add(document);
        return;
      }
      const taken = new Set(inner.documents);
      rest = rest.filter((document) => !taken.has(document));
      yield* this.#cut(inner, reached);
    }
  }

  #isTooLow(steps: readonly Step[]): boolean {
    const { threshold } = this.options;
    return threshold !== null && steps.some(isRanked) && fold(steps) < threshold;
  }

  *#apply(rule: Rule, bucket: Bucket): Generator<Bucket & { step: Step }> {
    if (rule.kind === 'field') {
      for (const b of fieldRule(bucket, rule.field, rule.direction)) yield { ...b, step: { rule, value: b.value } };
    } else if (rule.kind === 'geo') {
      for (const b of geoRule(bucket, rule.point, rule.direction)) {
        yield { ...b, step: { rule, point: b.point, metres: b.metres } };
      }
    } else {
      for (const b of this.#ranked(rule, bucket)) yield { ...b, step: { rule, rank: b.rank, max: b.max } };
    }
  }

  #ranked(rule: Exclude<Rule, { kind: 'field' | 'geo' }>, bucket: Bucket): Generator<RankedBucket> {
    const context: RuleContext = { graph: this.graph, lost: this.#lost };
    switch (rule.kind) {
      case 'words':
        return wordsRule(bucket, context, this.removal);
      case 'typo':
        return typoRule(bucket, context);
      case 'proximity':
        return proximityRule(bucket, context);
      case 'attributeRank':
        return attributeRankRule(bucket, context);
      case 'wordPosition':
        return wordPositionRule(bucket, context);
      case 'exactAttribute':
        return exactAttributeRule(bucket, context);
      case 'exactWords':
        return exactWordsRule(bucket, context);
    }
  }
}

/** Which values are taken, and who else has them. */
class DistinctWinners {
  readonly #taken = new Set<string>();
  readonly #holders = new Map<string, IndexedDocument[]>();

  constructor(
    private readonly field: string,
    documents: readonly IndexedDocument[],
  ) {
    for (const document of documents) {
      for (const key of distinctKeys(document.json, field)) {
        this.#holders.set(key, [...(this.#holders.get(key) ?? []), document]);
      }
    }
  }

  /** The documents that lose to this one, or null when it has lost itself. */
  take(document: IndexedDocument): IndexedDocument[] | null {
    const keys = distinctKeys(document.json, this.field);
    if (keys.some((key) => this.#taken.has(key))) return null;
    for (const key of keys) this.#taken.add(key);
    return keys.flatMap((key) => this.#holders.get(key) ?? []).filter((other) => other !== document);
  }
}

/** Of the counted documents, in the order of internal ids, those whose values none before them has. */
function firstOfEach(field: string, documents: readonly IndexedDocument[], counted: Set<IndexedDocument>): Set<IndexedDocument> {
  const winners = new DistinctWinners(field, []);
  return new Set(documents.filter((document) => counted.has(document) && winners.take(document) !== null));
}
