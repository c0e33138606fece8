import t from 'tap';
import type { IndexReader } from '../engine/segments.js';
import { countFacets, facetFields } from '../format/facets.js';
import { type JsonObject, jsonText, parseJson } from '../query/json.js';
import { plainDecimal } from '../search/federation/peers.js';
import type { TimeLimit } from '../time-limit.js';
import { bitmapOf, randomCase } from './column-case.js';
import { INDEXES, SEED, SETTINGS } from './columns-support.js';
import { compareUtf8, type Document, naiveValues } from './naive-columns.js';
import { seededRandom } from './random.js';

t.comment(`seed ${SEED}`);

interface NaiveCount {
  key: string;
  value: number | string;
  count: number;
}

/** The entries of one facet: documents by ascending internal id, which here is their `id`. */
function naiveFacet(documents: Document[], field: string, order: 'alpha' | 'count', limit: number): [string, number][] {
  const numbers = new Map<number, NaiveCount>();
  const strings = new Map<string, NaiveCount>();
  for (const document of documents) {
    const values = naiveValues(document, field);
    for (const value of new Set(values.numbers)) {
      const entry = numbers.get(value) ?? { key: plainDecimal(value), value, count: 0 };
      numbers.set(value, { ...entry, count: entry.count + 1 });
    }
    for (const value of new Set(values.strings)) {
      const entry = strings.get(value) ?? { key: values.originals[values.strings.lastIndexOf(value)] as string, value, count: 0 };
      strings.set(value, { ...entry, count: entry.count + 1 });
    }
  }
  const byText = (a: NaiveCount, b: NaiveCount) => compareUtf8(String(a.value), String(b.value));
  const byCount = (a: NaiveCount, b: NaiveCount) =>
    b.count - a.count || (typeof a.value === 'number' ? Number(b.value) - a.value : byText(b, a));
  const numberOrder = (a: NaiveCount, b: NaiveCount) => compareUtf8(a.key, b.key);
  const listed = [
    ...[...numbers.values()].sort(order === 'count' ? byCount : numberOrder),
    ...[...strings.values()].sort(order === 'count' ? byCount : byText),
  ];
  const entries = new Map<string, number>();
  for (const { key, count } of listed) {
    if (entries.size === limit) break;
    entries.set(key, count);
  }
  return [...entries];
}

/** The facets of all fields as the answer shows them, fields and values in their order. */
function facetsOf(reader: IndexReader, candidates: number, limit?: TimeLimit) {
  const fields = facetFields(reader, ['*']);
  const { distribution, distributionLength, stats, statsLength } = countFacets(reader, fields, candidates, limit);
  const read = (at: number, length: number) => parseJson(reader.instance.text(at, length)) as JsonObject;
  return {
    distribution: [...read(distribution, distributionLength)].map(([field, values]): [string, string] => [
      field,
      jsonText(values),
    ]),
    stats: new Map([...read(stats, statsLength)].map(([field, range]): [string, string] => [field, jsonText(range)])),
  };
}

t.test('facet counts agree with counting every candidate', (t) => {
  const random = seededRandom(SEED + 3);
  for (let i = 0; i < INDEXES; i++) {
    const order = random.pick(['alpha', 'count'] as const);
    const limit = random.pick([0, 1, 3, 100]);
    const settings = { ...SETTINGS, faceting: { maxValuesPerFacet: limit, sortFacetValuesBy: { '*': order } } };
    const { index, alive } = randomCase(random, settings);
    index.read((reader) => {
      const share = random.pick([3, 70, 100]);
      const members = alive.filter(() => random.int(100) < share);
      const candidates = bitmapOf(
        reader,
        members.map(({ slot }) => slot),
      );
      const found = facetsOf(reader, candidates);
      const documents = members.map(({ document }) => document).sort((a, b) => Number(a.id) - Number(b.id));
      for (const [field, values] of found.distribution) {
        if (field.startsWith('_geo')) continue;
        const counts = naiveFacet(documents, field, order, limit).map(([key, count]) => `${JSON.stringify(key)}:${count}`);
        t.equal(values, `{${counts.join()}}`, `index ${i}, ${field}, ${order}, ${limit}`);
      }
      for (const field of ['mixed', 'price']) {
        const numeric = documents.flatMap((document) => naiveValues(document, field).numbers);
        const quantity = (value: number) => (Number.isInteger(value) && Math.abs(value) < 1e21 ? `${value}.0` : String(value));
        const range = `{"min":${quantity(Math.min(...numeric))},"max":${quantity(Math.max(...numeric))}}`;
        t.equal(found.stats.get(field), numeric.length > 0 ? range : undefined, `index ${i}, range of ${field}`);
      }
      const names = found.distribution.map(([field]) => field);
      t.same(names, [...names].sort(compareUtf8));
      let cut = 0;
      const late = { deadline: Number.NEGATIVE_INFINITY, onTimeout: () => cut++ };
      for (const [place, [field, values]] of facetsOf(reader, candidates, late).distribution.entries()) {
        const isWhole = values === found.distribution[place]?.[1];
        if (!isWhole && (values !== '{}' || cut === 0)) t.fail(`index ${i}, ${field}: neither whole nor empty`);
      }
    });
  }
  t.end();
});
