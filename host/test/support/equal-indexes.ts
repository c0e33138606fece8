import type { Test } from 'tap';
import type { SeededRandom } from '../../../bindings/test/random.js';
import { sameData } from '../../../bindings/test/same-data.js';
import { DEFAULT_SETTINGS } from '../../index/settings/settings.js';
import type { TestDatabase } from './test-database.js';

type Document = Record<string, unknown>;

export const WORDS = ['amber', 'birch', 'cedar', 'dune', 'ember', 'fjord', 'grove', 'heath'];
export const SETTINGS = { ...DEFAULT_SETTINGS, filterableAttributes: ['kind', 'price'], sortableAttributes: ['price'] };

/** Most documents have members that no other has, so fields first appear in all parts, and in different orders. */
export function randomDocument(random: SeededRandom, ids: number): Document {
  const document: Document = {
    id: random.int(ids),
    text: Array.from({ length: 3 + random.int(12) }, () => random.pick(WORDS)).join(' '),
  };
  const members = Array.from({ length: random.int(4) }, () => `member${random.int(60)}`);
  for (const name of members) document[name] = random.int(2) ? random.pick(WORDS) : { [`inner${random.int(5)}`]: random.int(9) };
  if (random.int(2)) document.kind = random.pick(WORDS);
  if (random.int(2)) document.price = random.int(100);
  return document;
}

const REQUESTS = [
  { q: '', limit: 1000 },
  ...WORDS.map((q) => ({ q, limit: 1000, facets: ['*'], showRankingScore: true })),
  { q: 'amber birhc', limit: 1000, showRankingScoreDetails: true, showMatchesPosition: true },
  { q: 'cedar', sort: ['price:desc'], limit: 1000 },
  { q: 'gro', filter: 'price > 50 AND kind != dune', limit: 1000 },
];

async function answers(database: TestDatabase): Promise<unknown[]> {
  const list: unknown[] = [];
  for (const request of REQUESTS) {
    const { processingTimeMs: _, requestUid: __, ...answer } = await database.search('a', request);
    list.push(answer);
  }
  return list;
}

/** Compares an index of two databases: fields, figures, documents and searches. */
export async function compare(t: Test, one: TestDatabase, four: TestDatabase, what: string): Promise<void> {
  const [a, b] = [one, four].map((database) => database.indexStore.indexes.get('a')!);
  t.same(b!.fields, a!.fields, `${what}: fields and their numbers`);
  t.same(b!.stats, a!.stats, `${what}: statistics`);
  t.same([b!.nextInternalId, b!.freeIds, b!.primaryKey], [a!.nextInternalId, a!.freeIds, a!.primaryKey], `${what}: ids`);
  sameData(t, await four.documents('a'), await one.documents('a'), `${what}: documents, in their order`);
  sameData(t, await answers(four), await answers(one), `${what}: searches`);
}
