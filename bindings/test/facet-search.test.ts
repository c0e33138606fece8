import t from 'tap';
import { EngineBench } from '../../test/differential/engine-index.js';
import { completeSettings, type SentSettings } from '../../test/oracle/settings.js';
import { facetSearch } from '../format/facet-search.js';
import { bitmapOf, buildCase } from './column-case.js';
import { compareUtf8, type Document, naiveNormalize, naiveValues } from './naive-columns.js';
import { seededRandom } from './random.js';

const SEED = Number(process.env.SEED ?? 808);
const INDEXES = 30;
const QUERIES = 20;

t.comment(`seed ${SEED}`);

interface FacetHit {
  value: string;
  count: number;
}

const VALUES = [
  ...['Action', 'action', 'Adventure', 'Adult Comedy', 'Comedy', 'Éclair Films', 'eclair films', 'Eclair', 'Northern Light'],
  ...['northern light ', 'Saint-Denis', 'Saint Denis', 'Westerns', 'Wéstern', 'Ångström Unit', 'Documentary', 'true', '  '],
];

const fold = (text: string) => naiveNormalize(`|${text}|`).slice(1, -1).normalize('NFD').replace(/\p{M}/gu, '');

/** Least edit distance, swaps of neighbours counted once, from a word to any beginning of a text. */
function naivePrefixDistance(word: string, text: string): number {
  const distance = (a: string, b: string): number => {
    const rows = [...Array(a.length + 1)].map((_, i) => [...Array(b.length + 1)].map((_, j) => (i === 0 ? j : i)));
    const at = (i: number, j: number) => rows[i]?.[j] as number;
    for (let i = 1; i <= a.length; i++) {
      for (let j = 1; j <= b.length; j++) {
        let cost = Math.min(at(i - 1, j) + 1, at(i, j - 1) + 1, at(i - 1, j - 1) + Number(a[i - 1] !== b[j - 1]));
        if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) cost = Math.min(cost, at(i - 2, j - 2) + 1);
        (rows[i] as number[])[j] = cost;
      }
    }
    return at(a.length, b.length);
  };
  return Math.min(...[...Array(text.length + 1)].map((_, length) => distance(word, text.slice(0, length))));
}

/** @param all live documents and @param candidates some of them, both by ascending internal id */
function naiveSearch(all: Document[], candidates: Document[], query: string | null, sent: SentSettings): FacetHit[] {
  const { typoTolerance, faceting } = completeSettings(sent);
  const wanted = fold(query ?? '');
  const size = Buffer.byteLength(wanted);
  const { oneTypo, twoTypos } = typoTolerance.minWordSizeForTypos;
  const typos = !typoTolerance.enabled || size < oneTypo ? 0 : size < twoTypos ? 1 : 2;
  const whole = wanted !== '' && typoTolerance.disableOnWords.map(fold).includes(wanted);
  const hits = new Map<string, FacetHit>();
  for (const document of all) {
    const { strings, originals } = naiveValues(document, 'f');
    for (const text of new Set(strings)) {
      const folded = fold(text);
      if (whole ? folded !== wanted : naivePrefixDistance(wanted, folded) > typos) continue;
      const hit = hits.get(text) ?? { value: originals[strings.lastIndexOf(text)] as string, count: 0 };
      if (candidates.includes(document)) hit.count++;
      hits.set(text, hit);
    }
  }
  const found = [...hits].filter(([, { count }]) => count > 0);
  found.sort(([a, one], [b, other]) =>
    faceting.sortFacetValuesBy['*'] === 'count'
      ? other.count - one.count || compareUtf8(b, a)
      : compareUtf8(fold(a), fold(b)) || compareUtf8(a, b),
  );
  return found.slice(0, faceting.maxValuesPerFacet).map(([, hit]) => hit);
}

t.test('facet search agrees with testing every value', (t) => {
  const random = seededRandom(SEED);
  /** Few letters, so that words are similar; some are not ASCII. */
  const word = () => Array.from({ length: 1 + random.int(7) }, () => random.pick(['a', 'b', 'B', 'c', 'é', 'ü'])).join('');
  for (let i = 0; i < INDEXES; i++) {
    const text = () => (i % 2 === 0 ? random.pick(VALUES) : word());
    const minWordSizeForTypos = i % 2 === 0 ? { oneTypo: 5, twoTypos: 9 } : { oneTypo: 1, twoTypos: 4 };
    const sent: SentSettings = {
      filterableAttributes: ['f'],
      typoTolerance: {
        enabled: random.int(5) > 0,
        minWordSizeForTypos,
        disableOnWords: random.pick([[], ['Western', 'eclair']]),
      },
      faceting: {
        maxValuesPerFacet: random.pick([1, 3, 100]),
        sortFacetValuesBy: { '*': random.pick(['alpha', 'count'] as const) },
      },
    };
    const documents = Array.from({ length: 1 + random.int(60) }, (_, id) => ({
      id,
      f: random.pick<unknown>([text(), [text(), text(), 5], 7, null]),
    }));
    const { index, alive } = buildCase(random, completeSettings(sent), documents);
    const byId = (list: typeof alive) => list.map(({ document }) => document).sort((a, b) => Number(a.id) - Number(b.id));
    index.read((reader) => {
      for (let k = 0; k < QUERIES; k++) {
        const members = alive.filter(() => random.int(3) > 0);
        const candidates = bitmapOf(
          reader,
          members.map(({ slot }) => slot),
        );
        const letters = [
          ...text()
            .trim()
            .slice(0, 1 + random.int(12)),
        ];
        const typo = random.pick(['', 'x', 'é']);
        if (random.int(2) === 0) letters.splice(random.int(letters.length), random.int(2), typo);
        const query = random.int(8) === 0 ? random.pick([null, '', ' ', 'western', 'a ']) : letters.join('');
        const found = facetSearch(reader, candidates, { facetName: 'f', facetQuery: query });
        const expected = naiveSearch(byId(alive), byId(members), query, sent);
        if (found !== JSON.stringify(expected)) t.same(JSON.parse(found), expected, `index ${i}, query ${JSON.stringify(query)}`);
      }
    });
  }
  t.pass(`${INDEXES * QUERIES} searches`);
  t.end();
});

t.test('a text is spelled as in the first document of the index, in a segment without candidates too', (t) => {
  const documents = ['RED', 'red'].map((f, id) => ({ internalId: id, json: JSON.stringify({ id, f }) }));
  const settings = completeSettings({ filterableAttributes: ['f'] });
  for (const [segments, slotOfSecond] of [
    [1, 1],
    [2, 128],
  ] as const) {
    const index = new EngineBench().index(settings, documents, { segments, memories: 1 });
    const found = index.read((reader) =>
      facetSearch(reader, bitmapOf(reader, [slotOfSecond]), { facetName: 'f', facetQuery: null }),
    );
    t.same(JSON.parse(found), [{ value: 'RED', count: 1 }], `${segments} segments`);
  }
  t.end();
});

t.test('an unknown facet has no values', (t) => {
  const { index } = buildCase(seededRandom(SEED), completeSettings({ filterableAttributes: ['f'] }), [{ id: 1, f: 'x' }]);
  t.same(
    index.read((reader) => facetSearch(reader, reader.liveBitmap(), { facetName: 'g', facetQuery: null })),
    '[]',
  );
  t.end();
});
