import t from 'tap';
import { LocalIndex, type LocalIndexOptions } from '../bindings/local-index.js';
import { plainModule } from '../bindings/test/engine.js';
import { seededRandom } from '../bindings/test/random.js';
import { EngineBench } from './differential/engine-index.js';
import { completeSettings } from './oracle/settings.js';

const LETTERS = [...'abcdefghij'];
const SYNONYMS = 60;
const MAX_FILTER_DEPTH = 36;
const encoder = new TextEncoder();
const decoder = new TextDecoder();
const random = seededRandom(7);

const word = () => Array.from({ length: 1 + random.int(4) }, () => random.pick(LETTERS)).join('');
const words = (count: number) => Array.from({ length: count }, word).join(' ');
const documents = Array.from({ length: 3000 }, (_, internalId) => ({
  internalId,
  json: JSON.stringify({ id: internalId, title: words(3), text: words(30), year: 1990 + (internalId % 30) }),
}));

interface Answer {
  hits: { id: number }[];
  estimatedTotalHits: number;
}

function indexOf(settings: Parameters<typeof completeSettings>[0]): (body: object) => Answer {
  const filterable = { searchableAttributes: ['title', 'text'], filterableAttributes: ['year'] };
  const files = new EngineBench().files(completeSettings({ ...filterable, ...settings }), documents, {
    segments: 3,
    memories: 1,
  });
  const index = new LocalIndex(plainModule(), files);
  return (body) => JSON.parse(decoder.decode(index.search(encoder.encode(JSON.stringify(body)))));
}

t.test('ten words of one letter are found, the last one as a prefix', async (t) => {
  for (const searchCutoffMs of [null, 1]) {
    const search = indexOf({ searchCutoffMs });
    const q = LETTERS.join(' ');
    t.equal(search({ q, limit: 5 }).hits.length, 5);
    const total = search({ q: 'a', limit: 1 }).estimatedTotalHits;
    t.equal(search({ q, limit: 1 }).estimatedTotalHits, total, 'all words but the first may be dropped');
  }
});

t.test('very many synonyms end with the cutoff', async (t) => {
  const names = Array.from({ length: 8 }, word);
  const synonyms = Object.fromEntries(
    names.map((name) => [name, Array.from({ length: SYNONYMS }, () => words(1 + random.int(3)))]),
  );
  const plain = indexOf({});
  for (const searchCutoffMs of [null, 1]) {
    const search = indexOf({ synonyms, searchCutoffMs });
    const answer = search({ q: names.join(' '), limit: 5 });
    t.equal(answer.hits.length, 5);
    const own = plain({ q: names[0], limit: 1000 }).hits.length;
    t.ok(search({ q: names[0], limit: 1000 }).hits.length >= own, 'what holds the word itself is always found');
  }
});

const WIDE = 150;
const CONDITIONS = 3000;

/**
 * Does the work by a clock that advances by a millisecond with each reading, so that how far it gets before a deadline does not
 * depend on the machine.
 */
function withSteppedClock<T>(work: () => T): T {
  const { now } = performance;
  let readings = 0;
  performance.now = () => ++readings;
  try {
    return work();
  } finally {
    performance.now = now;
  }
}

/** Beginnings of the values of facets: making all of them of random words would take longer than the tests. */
const TEXTS = Array.from({ length: 500 }, () => words(60));

/** Documents with many facets, whose values are long and differ. */
const wide = documents.slice(0, 1000).map(({ internalId, json }) => {
  const facets = Object.fromEntries(Array.from({ length: WIDE }, (_, k) => [`f${k}`, `${random.pick(TEXTS)} ${internalId}`]));
  return {
    internalId,
    json: JSON.stringify({ ...JSON.parse(json), facets, tags: [internalId % 7, internalId % 11, `t${internalId % 900}`] }),
  };
});

let wideFiles: LocalIndexOptions | null = null;

function wideIndex(
  searchCutoffMs: number | null,
): (body: object) => Answer & { facetDistribution?: Record<string, Record<string, number>> } {
  const settings = completeSettings({
    searchableAttributes: ['title'],
    filterableAttributes: ['facets', 'tags', 'id', '_geo'],
    searchCutoffMs,
  });
  // the files do not depend on the cutoff, and building them takes seconds
  wideFiles ??= new EngineBench().files(settings, wide, { segments: 2, memories: 2 });
  const index = new LocalIndex(plainModule(), { ...wideFiles, settings });
  return (body) => JSON.parse(decoder.decode(index.search(encoder.encode(JSON.stringify(body)))));
}

t.test('a filter with ten thousand values is exact, whatever the cutoff', async (t) => {
  const values = Array.from({ length: 10_000 }, (_, k) => k * 3);
  const expected = wide.filter(({ internalId }) => internalId % 3 === 0).length;
  for (const searchCutoffMs of [null, 1]) {
    const search = wideIndex(searchCutoffMs);
    t.equal(search({ filter: `id IN [${values}]` }).estimatedTotalHits, expected);
    t.equal(
      search({
        filter: values
          .slice(0, 2000)
          .map((id) => `id = ${id}`)
          .join(' OR '),
      }).estimatedTotalHits,
      expected,
    );
    t.equal(search({ filter: `NOT id IN [${values}]` }).estimatedTotalHits, wide.length - expected);
  }
});

t.test('thousands of conditions on long texts end with the deadline, and never select a wrong document', async (t) => {
  const conditions = Array.from({ length: CONDITIONS }, (_, k) => `facets.f${k % WIDE} CONTAINS "zz${k}"`);
  const search = wideIndex(1);
  t.equal(search({ filter: conditions.join(' OR ') }).estimatedTotalHits, 0);
  const filter = `id < 500 AND NOT (${conditions.join(' OR ')})`;
  const left = search({ filter }).estimatedTotalHits;
  t.ok(left === 0 || left === 500, 'what is not known to pass does not pass');
  const cut = withSteppedClock(() => search({ filter }));
  t.equal(cut.estimatedTotalHits, 0, 'not all conditions are evaluated before the deadline');
});

t.test('facets of very many wide fields are complete, or empty at the deadline', async (t) => {
  const whole = wideIndex(null)({ facets: ['*'] }).facetDistribution ?? {};
  t.equal(Object.keys(whole.tags ?? {}).length, 100);
  const search = wideIndex(1);
  const cut = withSteppedClock(() => search({ facets: ['*'] })).facetDistribution ?? {};
  t.same(Object.keys(cut), Object.keys(whole));
  t.ok(
    Object.values(cut).some((values) => Object.keys(values).length === 0),
    'not all fields are counted before the deadline',
  );
  for (const [field, values] of Object.entries(cut)) {
    if (Object.keys(values).length > 0) t.same(values, whole[field], field);
  }
});

t.test('deep parentheses are accepted up to the limit', async (t) => {
  const search = indexOf({});
  const nested = (depth: number) => `${'('.repeat(depth)}year = 1995${')'.repeat(depth)}`;
  const hits = search({ q: '', filter: 'year = 1995', limit: 1000 }).hits;
  t.equal(hits.length, 100);
  t.same(search({ q: '', filter: nested(MAX_FILTER_DEPTH), limit: 1000 }).hits, hits);
  for (const depth of [MAX_FILTER_DEPTH + 1, 200]) {
    t.throws(() => search({ q: '', filter: nested(depth) }), { code: 'invalid_search_filter' });
  }
});
