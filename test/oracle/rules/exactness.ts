import type { IndexedDocument } from '../corpus.js';
import type { Words } from '../graph.js';
import { type Live, type NodeState, satisfies, termCount } from '../state.js';
import { coarsePosition } from './attribute.js';
import { type Bucket, bucketsByCost, cheapestVariant, greatestCost, type RankedBucket, type RuleContext, sum } from './bucket.js';

/** Words of longer attributes are not counted. */
const COUNTED_WORDS = 30;
const [EXACT, STARTS, NEITHER] = [3, 2, 1] as const;

/** How a term must occur in a document whose attribute equals the query. */
interface Expected {
  term: number;
  start: number;
  words: Words;
  span: number;
}

function expectation({ node, classes }: NodeState): Expected | null {
  if (node.phrase) return { term: node.first, start: node.start, words: node.phrase, span: node.end - node.start + 1 };
  if (node.isNgram || node.exact === null || !classes.includes(0)) return null;
  return { term: node.first, start: node.start, words: [node.exact], span: 1 };
}

/** The terms of the query from its beginning, without holes; null when there are none such. */
function expectations(live: Live): Expected[] | null {
  const byTerm = new Map<number, Expected>();
  for (const state of live.interpretations.flat()) {
    const expected = expectation(state);
    if (expected && !byTerm.has(expected.term)) byTerm.set(expected.term, expected);
  }
  const list = [...byTerm.values()].sort((a, b) => a.term - b.term);
  return list.length > 0 && list.every((expected, k) => expected.term === k) ? list : null;
}

/** Attributes that equal the query first, then those that begin with it. */
export function* exactAttributeRule(bucket: Bucket, context: RuleContext): Generator<RankedBucket> {
  const expected = expectations(bucket.live);
  const byRank = new Map<number, IndexedDocument[]>([EXACT, STARTS, NEITHER].map((rank) => [rank, []]));
  for (const document of bucket.documents) {
    const rank = expected ? exactnessOf(document, expected, context) : NEITHER;
    byRank.get(rank)?.push(document);
  }
  for (const [rank, documents] of byRank) {
    if (documents.length > 0) yield { documents, live: bucket.live, rank, max: EXACT };
  }
}

function exactnessOf(document: IndexedDocument, expected: readonly Expected[], { graph }: RuleContext): number {
  const inPlace = expected.every(({ words, start }) =>
    words.every((word, k) => word === null || standsAt(document, word, start + k)),
  );
  if (!inPlace) return NEITHER;
  const words = expected.flatMap((e) => e.words.filter((word) => word !== null));
  const length = sum(expected.map((e) => e.span));
  let best: number = NEITHER;
  for (const [id, { searchable }] of graph.corpus.attributes.entries()) {
    if (!searchable || (graph.within !== null && !graph.within.has(id))) continue;
    if (!words.every((word) => document.occurrences.get(word)?.some((o) => o.attribute === id))) continue;
    best = Math.max(best, length <= COUNTED_WORDS && document.wordCounts.get(id) === length ? EXACT : STARTS);
  }
  return best;
}

function standsAt(document: IndexedDocument, word: string, position: number): boolean {
  const occurrences = document.occurrences.get(word) ?? [];
  return occurrences.some((o) => coarsePosition(o.position) === coarsePosition(position));
}

/** Words as they were typed first. */
export function* exactWordsRule(bucket: Bucket, context: RuleContext): Generator<RankedBucket> {
  const max = 1 + greatestCost(bucket.live, termCount);
  yield* bucketsByCost(bucket, context, max, (document) =>
    cheapestVariant(bucket.live, (interpretation) => {
      const choices: number[] = [];
      const next: NodeState[] = [];
      let cost = 0;
      for (const state of interpretation) {
        if (!satisfies(document, state)) return null;
        const exact = isExactIn(state, document);
        cost += exact ? 0 : state.node.size;
        choices.push(exact ? 0 : 1);
        next.push(exact ? { ...state, exactOnly: true } : state);
      }
      return { cost, choices, next };
    }),
  );
}

function isExactIn({ node, classes }: NodeState, document: IndexedDocument): boolean {
  const found = node.in(document);
  if (!found || node.isNgram) return false;
  return found.phrase || (found.exactMatches && classes.includes(0));
}
