import t from 'tap';
import { LocalIndex } from '../bindings/local-index.js';
import { plainModule } from '../bindings/test/engine.js';
import { seededRandom } from '../bindings/test/random.js';
import { EngineBench } from './differential/engine-index.js';
import { completeSettings } from './oracle/settings.js';

const LETTERS = [...'abcdefghij'];
const SYNONYMS = 60;
const MOST_NESTED = 36;
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

t.test('very many synonyms of many words end', async (t) => {
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

t.test('a filter in many parentheses is the filter, in too many it is refused', async (t) => {
  const search = indexOf({});
  const nested = (depth: number) => `${'('.repeat(depth)}year = 1995${')'.repeat(depth)}`;
  const hits = search({ q: '', filter: 'year = 1995', limit: 1000 }).hits;
  t.equal(hits.length, 100);
  t.same(search({ q: '', filter: nested(MOST_NESTED), limit: 1000 }).hits, hits);
  for (const depth of [MOST_NESTED + 1, 200]) {
    t.throws(() => search({ q: '', filter: nested(depth) }), { code: 'invalid_search_filter' });
  }
});
