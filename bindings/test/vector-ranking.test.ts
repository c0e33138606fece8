import t from 'tap';
import { nearest } from '../engine/nearest-vectors.js';
import type { IndexReader } from '../engine/segments.js';
import { scoreOf } from '../ranking/ranked.js';
import { rankVectors } from '../search/semantic/rank-vectors.js';
import { seededRandom } from './random.js';
import { FIRST, type Form, membersOf, randomDocuments, vectorsFrom } from './random-vectors.js';
import { randomValues, target, type VectorDocument, vectorIndex } from './vector-case.js';

const SEED = Number(process.env.SEED ?? 1717);
const CASES = 80;
/** Documents have fewer vectors. */
const MAX_ORDINALS = 8;
t.comment(`seed ${SEED}`);

interface Scored {
  id: number;
  /** Similarity; 0 without a vector. */
  score: number;
}

/** By ordinal: documents by descending similarity, ties by id. */
function listsOf(reader: IndexReader, documents: readonly VectorDocument[], query: Float32Array): Scored[][] {
  const isSeveral = documents.some((document) => {
    const own = vectorsFrom(document, FIRST);
    return own !== undefined && own.values.length > own.dimensions;
  });
  const ordinals = isSeveral ? Array.from({ length: MAX_ORDINALS }, (_, ordinal) => ({ ordinal })) : [{}];
  return ordinals.map((options) =>
    nearest(reader, target(FIRST, query), documents.length, reader.liveBitmap(), options).found.map(({ id, similarity }) => ({
      id,
      score: similarity,
    })),
  );
}

/** The ranking of the engine, step by step over whole lists. @returns hits and counted documents, by internal id */
function naiveRanking(live: readonly number[], lists: readonly Scored[][], roundSize: number, threshold: number | null) {
  const left = new Set(live);
  const counted = new Set(live);
  const hits: Scored[] = [];
  const isBelow = (score: number) => threshold !== null && score < threshold;
  for (;;) {
    let pending = lists
      .flatMap((list) => list.filter(({ id }) => left.has(id)).slice(0, roundSize))
      .sort((a, b) => b.score - a.score);
    for (let isFirst = true; pending.length > 0; isFirst = false) {
      const { score } = pending[0] as Scored;
      const ids = [...new Set(pending.filter((each) => each.score === score).map(({ id }) => id))].sort((a, b) => a - b);
      if (isBelow(score) && isFirst) {
        for (const id of left) counted.delete(id);
        return { hits, counted };
      }
      for (const id of ids) {
        left.delete(id);
        if (isBelow(score)) counted.delete(id);
        else hits.push({ id, score });
      }
      pending = pending.filter(({ id }) => left.has(id));
      if (pending.length === 0) break;
    }
    if (!lists.some((list) => list.some(({ id }) => left.has(id)))) break;
  }
  for (const id of [...left].sort((a, b) => a - b)) {
    if (isBelow(0)) counted.delete(id);
    else hits.push({ id, score: 0 });
  }
  return { hits, counted };
}

t.test('rankings by vectors agree with one over whole lists, for any split into segments and memories', (t) => {
  const random = seededRandom(SEED);
  for (let i = 0; i < CASES; i++) {
    const form: Form = {
      dimensions: random.pick([1, 2, 3, 16]),
      binaryQuantized: random.int(3) === 0,
      most: random.pick([1, 1, 3]),
      fragments: random.int(3) === 0,
    };
    const documents = randomDocuments(random, random.pick([1, 5, 130, 300]), form, form);
    const deleted = new Set(documents.filter(() => random.int(5) === 0).map(({ internalId }) => internalId));
    const index = vectorIndex(documents, { segments: random.pick([1, 2, 5]), memories: random.pick([1, 2]), deleted });
    const query = randomValues(random, form.dimensions);
    const roundSize = random.pick([1, 3, 20, 1000]);
    const threshold = random.pick([null, null, 0.3, 0.8]);
    index.read((reader) => {
      const live = membersOf(reader, reader.liveBitmap());
      const expected = naiveRanking(live, listsOf(reader, documents, query), roundSize, threshold);
      const request = { sort: [], distinct: null, needed: documents.length + 1, detailed: true };
      const plan = { ...request, threshold, pageEnd: roundSize, deadline: Number.POSITIVE_INFINITY };
      const { hits, counted, total } = rankVectors(reader, reader.liveBitmap(), plan, target(FIRST, query));
      const found = hits.list.map((hit) => ({ id: reader.internalId(hit.slot), score: scoreOf(reader, hit) }));
      const name = `case ${i}: rounds of ${roundSize}, threshold ${threshold}`;
      if (JSON.stringify(found) !== JSON.stringify(expected.hits)) t.same(found, expected.hits, name);
      t.same(
        membersOf(reader, counted),
        [...expected.counted].sort((a, b) => a - b),
        name,
      );
      t.equal(total, expected.counted.size, name);
    });
  }
  t.end();
});
