import t from 'tap';
import { EngineBench } from './differential/engine-index.js';
import { completeSettings } from './oracle/settings.js';
import { CORPORA, TWO_ATTRIBUTES } from './worked-corpora.js';

/** The worked corpora over one segment and over two. */

const bench = new EngineBench();
const encoder = new TextEncoder();

/** Whether a score equals the written one, to the precision in which it is written. */
function isScore(score: number, written: string): boolean {
  const decimals = written.split('.')[1]?.length ?? 0;
  return Math.abs(score - Number(written)) <= 0.51 * 10 ** -Math.min(decimals || 12, 12);
}

for (const { name, documents, settings, always, searches } of CORPORA) {
  t.test(name, (t) => {
    const keyed = documents.map((document, internalId) => {
      const members = typeof document === 'string' ? { t: document } : document;
      return { internalId, json: JSON.stringify({ id: internalId, ...members }) };
    });
    const complete = completeSettings(settings);
    for (const segments of [1, 2]) {
      const index = bench.index(complete, keyed, { segments, memories: segments });
      for (const [sent, expected, counted] of searches) {
        const body = { ...always, ...(typeof sent === 'string' ? { q: sent } : sent), showRankingScore: true };
        const answer = JSON.parse(new TextDecoder().decode(index.search(encoder.encode(JSON.stringify(body)))));
        const hits: { id: number; _rankingScore: number }[] = answer.hits;
        const label = `${JSON.stringify(sent)}, ${segments} segments`;
        const wanted = expected === '' ? [] : expected.split(' ').map((hit) => hit.split(':'));
        t.same(
          hits.map(({ id }) => String(id)),
          wanted.map(([id]) => id),
          label,
        );
        for (const [place, [id, written]] of wanted.entries()) {
          const score = hits[place]?._rankingScore ?? Number.NaN;
          if (written && !isScore(score, written)) t.fail(`${label}: document ${id} scores ${score}, not ${written}`);
        }
        if (counted !== undefined) t.equal(answer.totalHits ?? answer.estimatedTotalHits, counted, `${label}: count`);
      }
    }
    t.end();
  });
}

t.test('score details of every rule', (t) => {
  const keyed = TWO_ATTRIBUTES.map((members, internalId) => ({
    internalId,
    json: JSON.stringify({ id: internalId, ...members }),
  }));
  const details = (rankingRules: string[] | undefined) => {
    const settings = { searchableAttributes: ['title', 'body'], ...(rankingRules ? { rankingRules } : {}) };
    const index = bench.index(completeSettings(settings), keyed, { segments: 1, memories: 1 });
    const body = encoder.encode(JSON.stringify({ q: 'blue lagoon', showRankingScoreDetails: true }));
    const { hits } = JSON.parse(new TextDecoder().decode(index.search(body)));
    return hits.find(({ id }: { id: number }) => id === 1)._rankingScoreDetails;
  };
  const exactness = { matchType: 'noExactMatch', matchingWords: 2, maxMatchingWords: 2, score: 0.3333333333333333 };
  const first = {
    words: { order: 0, matchingWords: 2, maxMatchingWords: 2, score: 1 },
    typo: { order: 1, typoCount: 0, maxTypoCount: 2, score: 1 },
    proximity: { order: 2, score: 1 },
  };
  t.same(details(undefined), {
    ...first,
    attributeRank: { order: 3, score: 0.6666666666666666 },
    wordPosition: { order: 4, score: 0.9047619047619048 },
    exactness: { order: 5, ...exactness },
  });
  t.same(details(['words', 'typo', 'proximity', 'attribute', 'sort', 'exactness']), {
    ...first,
    attribute: {
      order: 3,
      attributeRankingOrderScore: 0.6666666666666666,
      queryWordDistanceScore: 0.9047619047619048,
      score: 0.6349206349206349,
    },
    exactness: { order: 4, ...exactness },
  });
  t.end();
});
