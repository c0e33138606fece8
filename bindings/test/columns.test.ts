import t from 'tap';
import { completeSettings } from '../../test/oracle/settings.js';
import type { IndexReader } from '../engine/segments.js';
import { countFacets, facetFields } from '../format/facets.js';
import type { IndexSettings } from '../index-types.js';
import { checkFilter } from '../query/filter-check.js';
import { evaluateFilter } from '../query/filter-evaluate.js';
import { parseFilter } from '../query/filter-parse.js';
import { type JsonObject, jsonText, parseJson } from '../query/json.js';
import { rankDocuments, readHits } from '../ranking/ranked.js';
import type { SortRule } from '../ranking/rules.js';
import { sortedDocuments } from '../ranking/sorted-documents.js';
import type { Step } from '../ranking/step.js';
import { plainDecimal } from '../search/federation/peers.js';
import type { TimeLimit } from '../time-limit.js';
import { bitmapOf, buildCase, randomCase, slotsOf } from './column-case.js';
import { loadKernels } from './engine.js';
import { compareUtf8, type Document, FIELDS, naiveNormalize, naiveValues, randomFilter } from './naive-columns.js';
import { seededRandom } from './random.js';

const kernels = loadKernels();
const SEED = Number(process.env.SEED ?? 4711);
const INDEXES = 25;
const FILTERS = 40;
const CODE = 'invalid_search_filter';

t.comment(`seed ${SEED}`);

const SETTINGS: IndexSettings = completeSettings({
  filterableAttributes: ['_geo', 'id', 'single', 'price', 'mixed', 'many', 'nested', 'never'],
  sortableAttributes: ['_geo', 'mixed'],
});

t.test('filters select what a look at every document selects', (t) => {
  const random = seededRandom(SEED);
  for (let i = 0; i < INDEXES; i++) {
    const { index, alive } = randomCase(random, SETTINGS);
    index.read((reader) => {
      for (let k = 0; k < FILTERS; k++) {
        const { text, accepts } = randomFilter(random, 2, new Set(reader.view.fields));
        const filter = parseFilter(text, CODE);
        if (!filter) throw new Error(`no filter: ${text}`);
        checkFilter(filter, SETTINGS, 'case', CODE);
        const found = slotsOf(reader, evaluateFilter(reader, filter));
        const expected = alive.filter(({ document }) => accepts(document)).map(({ slot }) => slot);
        if (String(found) !== String(expected)) t.same(found, expected, `index ${i}: ${text}`);
      }
    });
  }
  t.pass(`${INDEXES * FILTERS} filters`);
  t.end();
});

t.test('a filter that there is no time for selects nothing that it should not', (t) => {
  const random = seededRandom(SEED + 9);
  let cut = 0;
  for (let i = 0; i < INDEXES; i++) {
    const { index } = randomCase(random, SETTINGS);
    index.read((reader) => {
      for (let k = 0; k < 10; k++) {
        const known = new Set(reader.view.fields);
        const part = () =>
          `(${Array.from({ length: 12 }, () => randomFilter(random, 3, known).text).join(random.pick([' AND ', ' OR ']))})`;
        const text = `${part()} OR NOT ${part()} OR NOT (${part()} AND NOT ${part()})`;
        const filter = parseFilter(text, CODE);
        if (!filter) throw new Error(`no filter: ${text}`);
        const whole = new Set(slotsOf(reader, evaluateFilter(reader, filter)));
        let isCut = false;
        const onCut = () => {
          isCut = true;
        };
        const found = slotsOf(reader, evaluateFilter(reader, filter, { deadline: Number.NEGATIVE_INFINITY, onCut }));
        if (isCut) cut++;
        if (!found.every((slot) => whole.has(slot))) t.fail(`index ${i}: selects too much: ${text}`);
        if (found.length < whole.size && !isCut) t.fail(`index ${i}: does not say that documents are missing: ${text}`);
      }
    });
  }
  t.ok(cut > INDEXES, `${cut} filters were cut`);
  t.end();
});

type SortValue = number | string | null;

/** Documents of one index: {@link Case.alive}. */
type Alive = ReturnType<typeof randomCase>['alive'];

const byId = (members: Alive) => [...members].sort((a, b) => Number(a.document.id) - Number(b.document.id));
const slotsIn = (members: Alive) => members.map(({ slot }) => slot);

/** The groups of documents that tie, with what the rule said of them. */
function groupsOf(reader: IndexReader, members: Alive, rule: SortRule): { step: Step; slots: number[] }[] {
  const groups: { step: Step; slots: number[] }[] = [];
  let last: readonly Step[] | null = null;
  for (const { slot, steps } of sortedDocuments(reader, bitmapOf(reader, slotsIn(members)), [rule], members.length, true)) {
    if (steps === last) groups.at(-1)?.slots.push(slot);
    else groups.push({ step: steps[0] as Step, slots: [slot] });
    last = steps;
  }
  return groups;
}

function naiveSortValue(document: Document, field: string, ascending: boolean): SortValue {
  const { numbers, strings } = naiveValues(document, field);
  if (numbers.length > 0) return ascending ? Math.min(...numbers) : Math.max(...numbers);
  const sorted = strings.sort(compareUtf8);
  return (ascending ? sorted[0] : sorted.at(-1)) ?? null;
}

t.test('sorting makes the groups of a full sort', (t) => {
  const random = seededRandom(SEED + 1);
  const kind = (value: SortValue) => (value === null ? 2 : typeof value === 'string' ? 1 : 0);
  let cases = 0;
  for (let i = 0; i < INDEXES; i++) {
    const { index, alive } = randomCase(random, SETTINGS);
    index.read((reader) => {
      for (const field of FIELDS) {
        for (const ascending of [true, false]) {
          const members = byId(alive.filter(() => random.int(4) > 0));
          const groups = new Map<SortValue, number[]>();
          for (const { slot, document } of members) {
            const value = naiveSortValue(document, field, ascending);
            groups.set(value, [...(groups.get(value) ?? []), slot]);
          }
          const expected = [...groups]
            .map(([value, slots]) => ({ value, slots }))
            .sort(({ value: a }, { value: b }) => {
              if (kind(a) !== kind(b)) return kind(a) - kind(b);
              const order = typeof a === 'string' ? compareUtf8(a, b as string) : Number(a) - Number(b);
              return ascending ? order : -order;
            });
          const found = groupsOf(reader, members, { kind: 'field', path: field, ascending }).map(({ step, slots }) => ({
            value: step.value,
            slots,
          }));
          if (JSON.stringify(found) !== JSON.stringify(expected)) t.same(found, expected, `index ${i}, ${field}, ${ascending}`);
          cases++;
        }
      }
    });
  }
  t.pass(`${cases} sorts`);
  t.end();
});

t.test('of documents that share a value the first one is kept', (t) => {
  const random = seededRandom(SEED + 2);
  for (let i = 0; i < INDEXES; i++) {
    const { index, alive } = randomCase(random, SETTINGS);
    index.read((reader) => {
      for (const field of FIELDS) {
        const members = byId(alive.filter(() => random.int(4) > 0));
        const taken = new Set<number | string>();
        const expected: number[] = [];
        for (const { slot, document } of members) {
          const { numbers, strings } = naiveValues(document, field);
          const values = [...numbers, ...strings.map((text) => `text ${text}`)];
          if (values.some((value) => taken.has(value))) continue;
          for (const value of values) taken.add(value);
          expected.push(slot);
        }
        const ranked = rankDocuments(
          reader,
          bitmapOf(reader, slotsIn(members)),
          {
            q: null,
            attributesToSearchOn: null,
            matchingStrategy: 'last',
            distinct: field,
            threshold: null,
            needed: members.length,
            exhaustive: true,
            detailed: false,
            matches: false,
            deadline: Number.POSITIVE_INFINITY,
          },
          [],
          [],
        );
        const found = readHits(reader, ranked, []).map(({ slot }) => slot);
        if (String(found) !== String(expected)) t.same(found, expected, `index ${i}, ${field}`);
        t.equal(ranked.total, expected.length);
      }
    });
  }
  t.end();
});

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
  const fields = facetFields(reader, ['*']).map((path) => ({ path, candidates }));
  const { distribution, distributionLength, stats, statsLength } = countFacets(reader, fields, limit);
  const read = (at: number, length: number) => parseJson(reader.instance.text(at, length)) as JsonObject;
  return {
    distribution: [...read(distribution, distributionLength)].map(([field, values]): [string, string] => [
      field,
      jsonText(values),
    ]),
    stats: new Map([...read(stats, statsLength)].map(([field, range]): [string, string] => [field, jsonText(range)])),
  };
}

t.test('facets count what a look at every candidate counts', (t) => {
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
      const late = { deadline: Number.NEGATIVE_INFINITY, onCut: () => cut++ };
      for (const [place, [field, values]] of facetsOf(reader, candidates, late).distribution.entries()) {
        const isWhole = values === found.distribution[place]?.[1];
        if (!isWhole && (values !== '{}' || cut === 0)) t.fail(`index ${i}, ${field}: neither whole nor empty`);
      }
    });
  }
  t.end();
});

function naiveDistance(document: Document, lat: number, lng: number): number {
  const geo = document._geo as { lat: number | string; lng: number | string } | undefined;
  if (!geo) return Number.NaN;
  const rad = (degrees: number) => (degrees * Math.PI) / 180;
  const [toLat, toLng] = [Number(geo.lat), Number(geo.lng)];
  const a = Math.sin(rad(toLat - lat) / 2) ** 2 + Math.cos(rad(lat)) * Math.cos(rad(toLat)) * Math.sin(rad(toLng - lng) / 2) ** 2;
  return 2 * 6371000 * Math.asin(Math.sqrt(Math.min(1, a)));
}

/** The same by the engine, to the millimetre. */
function distanceTo({ _geo }: Document, lat: number, lng: number): number {
  const geo = _geo as { lat: number | string; lng: number | string } | undefined;
  return geo ? kernels.exports.distance(lat, lng, Number(geo.lat), Number(geo.lng)) : Number.NaN;
}

t.test('geo filters, distances and groups agree with a look at every point', (t) => {
  const random = seededRandom(SEED + 4);
  for (let i = 0; i < INDEXES; i++) {
    const { index, alive } = randomCase(random, SETTINGS);
    index.read((reader) => {
      for (let k = 0; k < 10; k++) {
        const [lat, lng] = [(random.int(1800) - 900) / 10, (random.int(3600) - 1800) / 10];
        const expected = alive.map(({ document }) => naiveDistance(document, lat, lng));
        const found = alive.map(({ document }) => distanceTo(document, lat, lng));
        const far = expected.findIndex(
          (distance, at) => !(Math.abs(distance - (found[at] as number)) <= 0.002) && !Number.isNaN(distance),
        );
        if (far >= 0) t.equal(found[far], expected[far], `index ${i}, point ${lat}, ${lng}`);
        if (found.some((distance, at) => Number.isNaN(distance) !== Number.isNaN(expected[at] as number)))
          t.fail(`points of index ${i}`);

        const metres = random.pick([-1, 0, 1000, 500_000.5, 3_000_000, 30_000_000]);
        const radius = parseFilter(`_geoRadius(${lat}, ${lng}, ${metres})`, CODE);
        const within = alive.filter((_, at) => (found[at] as number) <= metres).map(({ slot }) => slot);
        t.same(radius && slotsOf(reader, evaluateFilter(reader, radius)), within, `radius ${metres}`);

        const [north, south] = [Math.max(lat, 10), Math.min(lat, 10)];
        const west = (random.int(3600) - 1800) / 10;
        const box = parseFilter(`_geoBoundingBox([${north}, ${lng}], [${south}, ${west}])`, CODE);
        const boxed = alive.filter(({ document }) => {
          const geo = document._geo as { lat: number; lng: number } | undefined;
          if (!geo || geo.lat > north || geo.lat < south) return false;
          const x = Number(geo.lng);
          return lng < west ? x >= west || x <= lng : x >= west && x <= lng;
        });
        t.same(
          box && slotsOf(reader, evaluateFilter(reader, box)),
          boxed.map(({ slot }) => slot),
          `box ${north} ${lng} ${south} ${west}`,
        );

        const ascending = random.int(2) === 0;
        const members = byId(alive);
        const distances = new Map(alive.map(({ slot }, at) => [slot, found[at] as number]));
        const distanceOf = (member: Alive[number]) => distances.get(member.slot) as number;
        const order = members.filter((member) => !Number.isNaN(distanceOf(member)));
        order.sort((a, b) => (distanceOf(a) - distanceOf(b)) * (ascending ? 1 : -1));
        const groups: Alive[] = [];
        let first = 0;
        for (const member of order) {
          const group = groups.at(-1);
          if (group && Math.abs(distanceOf(member) - first) <= 1) group.push(member);
          else {
            first = distanceOf(member);
            groups.push([member]);
          }
        }
        const absent = members.filter((member) => Number.isNaN(distanceOf(member)));
        if (absent.length > 0) groups.push(absent);
        t.same(
          groupsOf(reader, alive, { kind: 'geo', lat, lng, ascending }).map((group) => group.slots),
          groups.map((group) => slotsIn(byId(group))),
          `groups around ${lat}, ${lng}`,
        );
      }
    });
  }
  t.end();
});

t.test('a group of documents at one place has at most 1000 of them, in their order', (t) => {
  const random = seededRandom(SEED + 5);
  const documents = Array.from({ length: 1300 }, (_, id) => ({ id, _geo: { lat: 1, lng: 2 } }));
  const { index, alive } = buildCase(random, SETTINGS, documents);
  index.read((reader) => {
    const groups = groupsOf(reader, alive, { kind: 'geo', lat: 0, lng: 0, ascending: true });
    t.same(
      groups.map((group) => group.slots.length),
      [1000, alive.length - 1000],
    );
    t.same(groups[0]?.step.point, { lat: 1, lng: 2 });
    t.same(
      groups.flatMap((group) => group.slots),
      slotsIn(byId(alive)),
    );
  });
  t.end();
});

t.test('shapes are found in the stored documents, places beside them', (t) => {
  const settings = completeSettings({ filterableAttributes: ['_geo', '_geojson'] });
  const random = seededRandom(SEED + 6);
  const documents: Document[] = [
    { id: 0, _geojson: { type: 'Point', coordinates: [5, 5] } },
    { id: 1, _geo: { lat: 5, lng: 5.1 } },
    {
      id: 2,
      _geojson: {
        type: 'LineString',
        coordinates: [
          [0, 0],
          [10, 10],
        ],
      },
    },
    { id: 3, _geojson: { type: 'Point', coordinates: [50, 50] }, _geo: { lat: 5, lng: 5 } },
    { id: 4 },
  ];
  for (let i = 0; i < 20; i++) {
    const { index, alive } = buildCase(random, settings, documents);
    const check = (text: string, ids: number[]) => {
      index.read((reader) => {
        const filter = parseFilter(text, CODE);
        const expected = alive.filter(({ document }) => ids.includes(Number(document.id))).map(({ slot }) => slot);
        t.same(filter && slotsOf(reader, evaluateFilter(reader, filter)), expected, text);
      });
    };
    check('_geoPolygon([4, 4], [4, 6], [6, 6], [6, 4])', [0, 2]);
    check('_geoBoundingBox([6, 6], [4, 4])', [0, 1, 2, 3]);
    check('_geoRadius(5, 5, 1000)', [0, 2, 3]);
    check('NOT _geoRadius(5, 5, 50000, 30)', [4]);
  }
  t.end();
});

t.test('normalization of the naive side', (t) => {
  t.equal(naiveNormalize(' ÉﬁN '), 'e\u0301fin');
  t.end();
});
