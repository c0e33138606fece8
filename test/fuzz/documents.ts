import type { SeededRandom } from '../../bindings/test/random.js';
import { field, word } from './texts.js';

/** Documents, and the formats in which they are sent. */

type Document = Record<string, unknown>;

const IDS = 60;

/** A document with fields that all have in common, and some that few have. */
export function document(random: SeededRandom): Document {
  const text = () => Array.from({ length: random.int(12) }, () => word(random)).join(' ');
  const made: Document = {
    id: random.int(20) === 0 ? random.pick(['x', 'a b', -1, 1.5, null, '', 2 ** 60, '__proto__', 'é']) : random.int(IDS),
    title: text(),
    genre: random.pick(['drama', 'war', '', null, ['drama', 'war'], 5]),
    year: random.pick([1999, 2001, -5, 1.5, '2001', 1e300, null]),
    tags: random.pick([[], ['a', 'b'], { deep: ['x', { y: 1 }] }, [{ deep: 1 }, { deep: [2, '3'] }], 'a']),
  };
  if (random.int(3) === 0) made.author = { name: word(random), born: random.int(2000) };
  if (random.int(5) === 0)
    made._geo = random.pick<unknown>([{ lat: 10, lng: 20 }, { lat: '48.8', lng: '2.3' }, { lat: 91, lng: 0 }, null, [1, 2], 'x']);
  if (random.int(6) === 0)
    made._vectors = random.pick<unknown>([
      { own: [1, 0, 0] },
      { own: { embeddings: [[0, 1, 0]], regenerate: false } },
      { own: [1] },
      { own: null },
      { constructor: [1] },
      'x',
    ]);
  if (random.int(20) === 0)
    made._geojson = random.pick<unknown>([
      { type: 'Point', coordinates: [1, 2] },
      { type: 'constructor' },
      {
        type: 'Polygon',
        coordinates: [
          [
            [0, 0],
            [1, 0],
            [1, 1],
            [0, 0],
          ],
        ],
      },
    ]);
  if (random.int(4) === 0) made[field(random)] = random.pick([word(random), random.int(100), true, [[[]]], {}]);
  return made;
}

export function documents(random: SeededRandom): Document[] {
  return Array.from({ length: random.int(6) }, () => document(random));
}

/** Media types of documents, and how they are written in each. */
export const FORMS: Readonly<Record<string, (list: Document[], random: SeededRandom) => string>> = {
  'application/json': (list, random) => JSON.stringify(list.length === 1 && random.int(2) === 0 ? list[0] : list),
  'application/x-ndjson': (list, random) =>
    list.map((one) => JSON.stringify(one)).join(random.pick(['\n', '\n', '\r\n', '\n\n', ''])),
  'text/csv': (list, random) => {
    const names = random.pick([
      ['id', 'title'],
      ['id:number', 'title', 'year:number'],
      ['id', 'seen:boolean', 'genre:string'],
      ['id', 'id'],
      [''],
    ]);
    const cell = (value: unknown) => {
      const text = String(value ?? '');
      return random.int(3) === 0 ? `"${text.replaceAll('"', '""')}"` : text;
    };
    const lines = list.map((one) => names.map((name) => cell(one[name.split(':')[0]!])));
    return [names, ...lines].map((line) => line.join(random.pick([',', ',', ',', ';']))).join('\n');
  },
};
