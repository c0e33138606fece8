import t from 'tap';
import { SegmentBuilder } from '../../bindings/engine/builder.js';
import type { BuilderConfig } from '../../bindings/engine/builder-config.js';
import { PLAIN_CONFIG } from '../../bindings/test/builder-config.js';
import { loadPlainEngine } from '../../bindings/test/engine.js';
import {
  compareUtf8,
  type Document,
  FIELDS,
  naiveNormalize,
  naiveValues,
  randomDocument,
} from '../../bindings/test/naive-columns.js';
import { seededRandom } from '../../bindings/test/random.js';
import { SegmentFile } from './segment-file.js';

const SEED = Number(process.env.SEED ?? 46);
const encoder = new TextEncoder();
const engine = loadPlainEngine();

function build(config: Partial<BuilderConfig>, documents: (Document | string)[]): { file: SegmentFile; fields: string[] } {
  const builder = new SegmentBuilder(engine, { ...PLAIN_CONFIG, searchable: [], ...config });
  documents.forEach((document, id) => {
    builder.add(id, encoder.encode(`${id}`), encoder.encode(typeof document === 'string' ? document : JSON.stringify(document)));
  });
  const { pieces } = builder.finishInMemory();
  return { file: new SegmentFile(Buffer.concat(pieces)), fields: builder.fields };
}

t.test('columns of random documents have their values', async (t) => {
  const random = seededRandom(SEED);
  for (let round = 0; round < 60; round++) {
    const documents = Array.from({ length: 1 + random.int(200) }, (_, id) => randomDocument(random, id));
    const { file, fields } = build({ columnPatterns: ['*'] }, documents);
    for (const path of FIELDS) {
      const label = `seed ${SEED} round ${round} ${path}`;
      const naive = documents.map((document) => naiveValues(document, path));
      const column = file.column(fields.indexOf(path));
      const which = (test: (values: (typeof naive)[number]) => boolean) =>
        naive.flatMap((values, i) => (test(values) ? [i] : []));
      if (!column) {
        t.same(
          which((values) => values.exists),
          [],
          `${label}: no column without values`,
        );
        continue;
      }
      t.same(
        column.exists,
        which((values) => values.exists),
        `${label}: exists`,
      );
      t.same(
        column.nulls,
        which((values) => values.isNull),
        `${label}: null`,
      );
      t.same(
        column.empties,
        which((values) => values.isEmpty),
        `${label}: empty`,
      );
      const numbers = naive.map((values) => [...new Set(values.numbers)].sort((a, b) => a - b));
      t.same(
        column.numbersOf.map((list) => list.map((ordinal) => column.numbers[ordinal])),
        numbers,
        `${label}: numbers`,
      );
      t.same(
        column.numbers,
        [...new Set(numbers.flat())].sort((a, b) => a - b),
        `${label}: distinct numbers`,
      );
      if (column.numbers.length > 0)
        t.equal(
          column.singleNumber,
          naive.every((values) => values.numbers.length < 2),
          `${label}: single`,
        );
      t.same(
        column.stringsOf.map((list) => list.map((ordinal) => column.strings[ordinal])),
        naive.map((values) => values.originals),
        `${label}: strings`,
      );
      const distinct = [...new Set(naive.flatMap((values) => values.originals))].map(
        (text) => [naiveNormalize(text), text] as const,
      );
      distinct.sort((a, b) => compareUtf8(a[0], b[0]) || compareUtf8(a[1], b[1]));
      t.same(
        column.strings,
        distinct.map(([, text]) => text),
        `${label}: distinct strings`,
      );
      t.same(
        column.normalizedOf.map((ordinal) => column.normalized[ordinal]),
        distinct.map(([normalized]) => normalized),
        `${label}: normalized`,
      );
      t.same(column.normalized, [...new Set(distinct.map(([normalized]) => normalized))], `${label}: distinct normalized`);
    }
  }
});

t.test('the documents of each value are stored', async (t) => {
  const random = seededRandom(SEED);
  let bitmaps = 0;
  for (let round = 0; round < 40; round++) {
    const size = 1 + random.int(random.pick([3, 60, 900]));
    const documents = Array.from({ length: size }, (_, id) => ({
      ...randomDocument(random, id),
      kind: random.int(3),
      all: id % 7,
    }));
    const { file, fields } = build({ columnPatterns: ['*'] }, documents);
    for (const [field, path] of fields.entries()) {
      const column = file.column(field);
      if (!column) continue;
      const inverted = file.valueDocuments(field);
      if (path === '_geo.lng') {
        t.equal(inverted, null, 'but for longitudes');
        continue;
      }
      const holders = (ordinalsOf: readonly (readonly number[])[], ordinal: number) =>
        ordinalsOf.flatMap((ordinals, document) => (ordinals.includes(ordinal) ? [document] : []));
      const texts = column.stringsOf.map((list) => list.map((original) => column.normalizedOf[original] as number));
      const label = `seed ${SEED} round ${round} ${path}`;
      t.same(
        inverted?.numbers,
        column.numbers.map((_, ordinal) => holders(column.numbersOf, ordinal)),
        `${label}: numbers`,
      );
      t.same(
        inverted?.normalized,
        column.normalized.map((_, ordinal) => holders(texts, ordinal)),
        `${label}: texts`,
      );
      bitmaps += inverted?.bitmaps ?? 0;
    }
  }
  t.ok(bitmaps > 20, 'some values have bitmaps');
});

t.test('which fields get columns', async (t) => {
  const document = {
    id: 1,
    a: { b: { c: 1 }, bc: 2 },
    ab: 3,
    xa: 4,
    'a.z': 5,
    _geo: { lat: '1.5', lng: 2 },
    _vectors: { m: [1] },
  };
  const columns = (config: Partial<BuilderConfig>) => {
    const { file, fields } = build(config, [document]);
    return fields.filter((_, id) => file.column(id));
  };
  t.same(columns({ columnsUnder: ['a'] }), ['a', 'a.b', 'a.b.c', 'a.bc', 'a.z']);
  t.same(columns({ columnsUnder: ['a.b'] }), ['a.b', 'a.b.c']);
  t.same(columns({ columnPatterns: ['a'] }), ['a']);
  t.same(columns({ columnPatterns: ['a*'] }), ['a', 'a.b', 'a.b.c', 'a.bc', 'ab', 'a.z']);
  t.same(columns({ columnPatterns: ['*a'] }), ['a', 'xa']);
  t.same(columns({ columnPatterns: ['*.b*'] }), ['a.b', 'a.b.c', 'a.bc']);
  t.same(columns({ columnPatterns: ['a*b'] }), []);
  t.same(columns({ geo: true }), ['_geo', '_geo.lat', '_geo.lng']);
});

t.test('locations are stored', async (t) => {
  const documents = [
    { _geo: { lat: 1.25, lng: '-2.5' } },
    { _geo: null },
    { id: 3 },
    { _geo: { lng: '+1e1', lat: '.5' } },
    { _geo: { lat: 'x', lng: 1 } },
    { _geo: { lat: -90, lng: 180 } },
  ];
  const { file, fields } = build({ geo: true }, documents);
  t.same(file.points(), [[1.25, -2.5], null, null, [0.5, 10], null, [-90, 180]]);
  const latitude = file.column(fields.indexOf('_geo.lat'));
  t.same(
    latitude?.numbersOf.map((list) => list.map((ordinal) => latitude.numbers[ordinal])),
    [[1.25], [], [], [0.5], [], [-90]],
  );
  t.same(latitude?.strings, []);
  const { file: plain, fields: names } = build({ columnPatterns: ['*'] }, documents);
  t.same(plain.column(names.indexOf('_geo.lat'))?.exists, [0, 3, 4, 5], 'without geo search the path exists');
  t.same(plain.column(names.indexOf('_geo.lat'))?.numbers, [], 'but has no values');
});

t.test('extreme numbers and texts are stored', async (t) => {
  const long = `x${'é'.repeat(300)}`;
  const { file, fields } = build({ columnPatterns: ['*'] }, [
    `{"n":-0,"s":${JSON.stringify(long)}}`,
    `{"n":0.0,"s":${JSON.stringify(`${long}!`)}}`,
    '{"n":18446744073709551615,"s":"\\u0000b"}',
    '{"n":1e-320,"s":"\\u0000"}',
    '{"n":-1e300,"s":"\\u0041\\n"}',
  ]);
  const numbers = file.column(fields.indexOf('n'));
  t.same(numbers?.numbers, [-1e300, 0, 1e-320, 2 ** 64]);
  t.same(numbers?.numbersOf, [[1], [1], [3], [2], [0]]);
  const strings = file.column(fields.indexOf('s'));
  t.same(strings?.strings, ['\u0000', '\u0000b', 'A\n', long, `${long}!`]);
  t.same(
    strings?.normalized.map((text) => Buffer.byteLength(text)),
    [1, 2, 1, 467],
  );
  t.same(strings?.normalizedOf, [0, 1, 2, 3, 3], 'long texts meet where they are cut');
});
