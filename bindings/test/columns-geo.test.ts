import t from 'tap';
import { completeSettings } from '../../test/oracle/settings.js';
import { evaluateFilter } from '../query/filter-evaluate.js';
import { parseFilter } from '../query/filter-parse.js';
import { buildCase, randomCase, slotsOf } from './column-case.js';
import { type Alive, byId, CODE, groupsOf, INDEXES, SEED, SETTINGS, slotsIn } from './columns-support.js';
import { loadKernels } from './engine.js';
import type { Document } from './naive-columns.js';
import { seededRandom } from './random.js';

const kernels = loadKernels();

t.comment(`seed ${SEED}`);

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

t.test('geo filters, distances and groups agree with testing every location', (t) => {
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

t.test('a group of documents at one location has at most 1000, in internal order', (t) => {
  const random = seededRandom(SEED + 5);
  const documents = Array.from({ length: 1300 }, (_, id) => ({ id, _geo: { lat: 1, lng: 2 } }));
  const { index, alive } = buildCase(random, SETTINGS, documents);
  index.read((reader) => {
    const groups = groupsOf(reader, alive, { kind: 'geo', lat: 0, lng: 0, ascending: true });
    t.same(
      groups.map((group) => group.slots.length),
      [1000, alive.length - 1000],
    );
    t.same(groups[0]?.point, { lat: 1, lng: 2 });
    t.same(
      groups.flatMap((group) => group.slots),
      slotsIn(byId(alive)),
    );
  });
  t.end();
});

t.test('geo filters match both _geojson shapes and _geo points', (t) => {
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
