import t from 'tap';
import { seededRandom } from '../../../bindings/test/random.js';
import { DEFAULT_SETTINGS } from '../../index/settings/settings.js';
import { TestDatabase } from '../support/test-database.js';

/** Search threads and index threads on a machine with 96 cores: all of them are readers. */
const READERS = 146;
const DOCUMENTS = 20_000;

t.test('ordinary requests are answered with as many readers as a machine of 96 cores has', async (t) => {
  const seed = 5;
  t.comment(`seed ${seed}`);
  const random = seededRandom(seed);
  const test = await TestDatabase.open(t, { searchThreads: READERS });
  await test.create('things', 'id');
  const settings = {
    ...DEFAULT_SETTINGS,
    filterableAttributes: ['name', 'tag', 'size', 'made'],
    sortableAttributes: ['size', 'name'],
    rankingRules: ['words', 'typo', 'proximity', 'attribute', 'sort', 'exactness'],
    pagination: { maxTotalHits: DOCUMENTS },
    faceting: { ...DEFAULT_SETTINGS.faceting, maxValuesPerFacet: 1000 },
  };
  await test.commit(await test.indexStore.settings.change('things', settings, test.now()));
  const word = () => `${random.pick(['red', 'green', 'blue', 'pale', 'dark'])}${random.pick(['wood', 'stone', 'leaf', 'glass'])}`;
  const documents = Array.from({ length: DOCUMENTS }, (_, id) => ({
    id,
    name: `${word()} ${word()} ${id}`,
    text: Array.from({ length: 12 }, word).join(' '),
    tag: word(),
    size: random.int(5000),
    made: `day ${id}`,
  }));
  await test.apply('things', await test.add(documents));

  const scored = { q: 'redwood pale', limit: 1000, showRankingScore: true, showRankingScoreDetails: true };
  t.equal((await test.search('things', scored)).hits.length, 1000);
  t.equal((await test.search('things', { q: '', limit: DOCUMENTS, sort: ['size:desc'] })).hits.length, DOCUMENTS);
  const counted = await test.search('things', { q: '', facets: ['*'] });
  t.same(Object.keys(counted.facetDistribution as object).sort(), ['made', 'name', 'size', 'tag']);
  const long = Array.from({ length: 400_000 }, word).join(' ');
  t.ok((await test.search('things', { q: long })).hits.length > 0);
  t.ok((await test.search('things', { q: `redwood ${'"'.repeat(300_000)}` })).hits.length > 0);
  t.equal((await test.documents('things', [['sort', 'name:asc']])).length, DOCUMENTS);
  t.same(test.faults, []);
});
