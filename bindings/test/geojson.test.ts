import t from 'tap';
import { EngineBench } from '../../test/differential/engine-index.js';
import { completeSettings } from '../../test/oracle/settings.js';
import { type Area, boxArea, type Position, polygonArea, radiusArea } from '../geojson/area.js';
import { PreparedArea } from '../geojson/meeting.js';
import { selectShapes } from '../geojson/select.js';
import { Shapes } from '../geojson/shapes.js';
import { naiveMeets } from './naive-geojson.js';
import { type SeededRandom, seededRandom } from './random.js';

const SEED = Number(process.env.SEED ?? 314);
t.comment(`seed ${SEED}`);

/** The answer of the engine, after it was compared with that of the naive implementation. */
function meets(value: unknown, area: Area): boolean {
  const shapes = new Shapes();
  shapes.add(value);
  const prepared = new PreparedArea(area);
  const met = prepared.mayMeet(shapes.boxes, 0) && prepared.meets(shapes, 0);
  if (met !== naiveMeets(value, area)) throw new Error(`${met}: ${JSON.stringify([value, area])}`);
  return met;
}

const point = (...coordinates: number[]) => ({ type: 'Point', coordinates });
const line = (...coordinates: number[][]) => ({ type: 'LineString', coordinates });
const polygon = (...coordinates: number[][][]) => ({ type: 'Polygon', coordinates });
const SQUARE = [
  [0, 0],
  [10, 0],
  [10, 10],
  [0, 10],
  [0, 0],
];
const HOLE = [
  [4, 4],
  [6, 4],
  [6, 6],
  [4, 6],
  [4, 4],
];

/** A shape against the box of longitudes and latitudes 2 to 4. */
const SHAPES: [name: string, shape: unknown, meets: boolean][] = [
  ['a point inside', point(3, 3), true],
  ['a point on the edge', point(2, 3), true],
  ['a point on a corner', point(4, 4), true],
  ['a point outside', point(5, 3), false],
  [
    'one of many points',
    {
      type: 'MultiPoint',
      coordinates: [
        [9, 9],
        [3, 3],
      ],
    },
    true,
  ],
  ['a line that crosses', line([0, 3], [9, 3]), true],
  ['a line that ends inside', line([0, 0], [3, 3]), true],
  ['a line that touches a corner', line([0, 4], [8, 4]), true],
  ['a line beside it', line([0, 5], [9, 5]), false],
  [
    'one of many lines',
    {
      type: 'MultiLineString',
      coordinates: [
        [
          [8, 8],
          [9, 9],
        ],
        [
          [3, 0],
          [3, 9],
        ],
      ],
    },
    true,
  ],
  ['a polygon around it', polygon(SQUARE), true],
  [
    'a polygon inside',
    polygon([
      [2.5, 2.5],
      [3.5, 2.5],
      [3, 3.5],
      [2.5, 2.5],
    ]),
    true,
  ],
  [
    'a polygon that overlaps',
    polygon([
      [3, 3],
      [9, 3],
      [9, 9],
      [3, 3],
    ]),
    true,
  ],
  [
    'a polygon apart',
    polygon([
      [5, 5],
      [9, 5],
      [9, 9],
      [5, 5],
    ]),
    false,
  ],
  [
    'a polygon with the area in its hole',
    polygon(SQUARE, [
      [1, 1],
      [5, 1],
      [5, 5],
      [1, 5],
      [1, 1],
    ]),
    false,
  ],
  [
    'a polygon with a hole elsewhere',
    polygon(SQUARE, [
      [7, 7],
      [8, 7],
      [8, 8],
      [7, 8],
      [7, 7],
    ]),
    true,
  ],
  ['a polygon with a hole that touches', polygon(SQUARE, HOLE), true],
  [
    'one of many polygons',
    {
      type: 'MultiPolygon',
      coordinates: [
        [
          [
            [20, 20],
            [21, 20],
            [21, 21],
            [20, 20],
          ],
        ],
        [SQUARE],
      ],
    },
    true,
  ],
  ['a feature', { type: 'Feature', properties: null, geometry: point(3, 3) }, true],
  ['a feature without a geometry', { type: 'Feature', properties: null, geometry: null }, false],
  ['a collection', { type: 'GeometryCollection', geometries: [point(9, 9), line([3, 0], [3, 9])] }, true],
  ['a collection of features', { type: 'FeatureCollection', features: [{ type: 'Feature', geometry: point(3, 3) }] }, true],
  ['nothing', null, false],
];

t.test('shapes that intersect a box are selected', (t) => {
  for (const [name, shape, expected] of SHAPES) t.equal(meets(shape, boxArea(4, 4, 2, 2)), expected, name);
  t.end();
});

t.test('a box over the antimeridian', (t) => {
  const area = boxArea(10, -170, -10, 170);
  t.ok(meets(point(175, 0), area));
  t.ok(meets(point(-175, 0), area));
  t.ok(meets(point(180, 0), area));
  t.notOk(meets(point(0, 0), area));
  t.end();
});

t.test('a polygon is closed by itself, and may repeat its first corner', (t) => {
  const corners: [number, number][] = [
    [0, 0],
    [4, 0],
    [0, 4],
  ];
  for (const ring of [corners, [...corners, corners[0] as [number, number]]]) {
    t.ok(meets(point(1, 1), polygonArea(ring)));
    t.ok(meets(point(2, 2), polygonArea(ring)));
    t.notOk(meets(point(3, 3), polygonArea(ring)));
  }
  t.end();
});

t.test('circles: points well inside and well outside, also at the antimeridian and the poles', (t) => {
  const random = seededRandom(SEED);
  const radians = Math.PI / 180;
  const distance = (lat: number, lng: number, otherLat: number, otherLng: number) => {
    const chord =
      Math.sin(((otherLat - lat) * radians) / 2) ** 2 +
      Math.cos(lat * radians) * Math.cos(otherLat * radians) * Math.sin(((otherLng - lng) * radians) / 2) ** 2;
    return 2 * 6371000 * Math.asin(Math.sqrt(Math.min(1, chord)));
  };
  let judged = 0;
  for (let i = 0; i < 3000; i++) {
    const [lat, lng] = [random.pick([0, 48.5, -60, 80, 89, -89.5]), random.pick([0, 2.3, 179, -179.9, 120])];
    const metres = random.pick([1000, 100_000, 1_000_000, 3_000_000, 9_500_000, 16_000_000]);
    const spread = (metres / 111_000) * 3;
    const otherLat = Math.max(-90, Math.min(90, lat + ((random.int(2001) - 1000) / 1000) * spread));
    const turn = ((random.int(2001) - 1000) / 1000) * Math.min(180, spread / Math.max(0.01, Math.cos(lat * radians)));
    const otherLng = ((((lng + turn + 180) % 360) + 360) % 360) - 180;
    const ratio = distance(lat, lng, otherLat, otherLng) / metres;
    // corners joined by straight lines on the map are not the circle itself
    if (ratio > 0.8 && ratio < 1.2) continue;
    judged++;
    const found = meets(point(otherLng, otherLat), radiusArea(lat, lng, metres, 125));
    if (found !== ratio < 1) t.fail(`${metres} m around ${lat}, ${lng}: ${otherLat}, ${otherLng} is ${ratio} radii away`);
  }
  t.ok(judged > 1000, `${judged} points`);
  t.end();
});

t.test('a circle of no size is a point, one around the earth everything, one of negative size nothing', (t) => {
  t.ok(meets(point(5, 6), radiusArea(6, 5, 0, 125)));
  t.notOk(meets(point(5.001, 6), radiusArea(6, 5, 0, 125)));
  t.ok(meets(point(-100, -80), radiusArea(6, 5, 30_000_000, 125)));
  t.notOk(meets(point(5, 6), radiusArea(6, 5, -1, 125)));
  t.ok(meets(point(2.3522, 48.8566), radiusArea(48.8566, 2.3522, 0, 125)));
  t.end();
});

/** Shapes on a coarse grid touch often, those on a fine one hardly ever. */
function randomPosition(random: SeededRandom, grid: number): Position {
  return [random.int(20 * grid) / grid - 10, random.int(20 * grid) / grid - 10];
}

function randomRun(random: SeededRandom, grid: number, least: number): Position[] {
  const [x, y] = randomPosition(random, grid);
  const size = random.pick([1, 3, 20]);
  return Array.from({ length: least + random.int(6) }, () => {
    const [dx, dy] = randomPosition(random, grid);
    return [x + (dx * size) / 20, y + (dy * size) / 20];
  });
}

function randomShape(random: SeededRandom, grid: number, depth = 0): unknown {
  const several = <T>(make: () => T) => Array.from({ length: random.int(4) }, make);
  const ring = () => randomRun(random, grid, 3);
  switch (random.int(depth > 1 ? 6 : 9)) {
    case 0:
      return { type: 'Point', coordinates: randomPosition(random, grid) };
    case 1:
      return { type: 'MultiPoint', coordinates: several(() => randomPosition(random, grid)) };
    case 2:
      return { type: 'LineString', coordinates: randomRun(random, grid, 2) };
    case 3:
      return { type: 'MultiLineString', coordinates: several(() => randomRun(random, grid, 2)) };
    case 4:
      return { type: 'Polygon', coordinates: [ring(), ...several(ring)] };
    case 5:
      return { type: 'MultiPolygon', coordinates: several(() => [ring(), ...several(ring)]) };
    case 6:
      return { type: 'Feature', geometry: random.pick([null, randomShape(random, grid, depth + 1)]) };
    case 7:
      return { type: 'GeometryCollection', geometries: several(() => randomShape(random, grid, depth + 1)) };
    default:
      return {
        type: 'FeatureCollection',
        features: several(() => ({ type: 'Feature', geometry: randomShape(random, grid, depth + 1) })),
      };
  }
}

function randomArea(random: SeededRandom, grid: number): Area {
  const [x, y] = randomPosition(random, grid);
  switch (random.int(3)) {
    case 0:
      return radiusArea(y, x, random.pick([0, 1000, 100_000, 1_000_000, 9_500_000, 16_000_000]), 3 + random.int(60));
    case 1: {
      const [otherX, otherY] = randomPosition(random, grid);
      return boxArea(Math.max(y, otherY), otherX, Math.min(y, otherY), x);
    }
    default:
      return polygonArea(randomRun(random, grid, 3));
  }
}

t.test('random shapes and areas agree with a naive implementation', (t) => {
  const random = seededRandom(SEED + 1);
  let met = 0;
  for (let i = 0; i < 20_000; i++) {
    const grid = random.pick([1, 2, 1000]);
    if (meets(randomShape(random, grid), randomArea(random, grid))) met++;
  }
  t.ok(met > 2000 && met < 18_000, `${met} meet`);
  t.end();
});

t.test('documents of several segments, with and without a cache of shapes', (t) => {
  const random = seededRandom(SEED + 2);
  const bench = new EngineBench();
  const settings = completeSettings({ filterableAttributes: ['_geojson'] });
  for (const room of [1 << 20, 4000, 0]) {
    const shapes = Array.from({ length: 120 }, () =>
      random.pick([undefined, null, randomShape(random, 2), randomShape(random, 2)]),
    );
    const documents = shapes.map((shape, id) => ({ internalId: id, json: JSON.stringify({ id, _geojson: shape }) }));
    const index = bench.index(settings, documents, { segments: 3, memories: 2 });
    for (let i = 0; i < 40; i++) {
      const area = randomArea(random, 2);
      const expected = documents.filter((_, id) => naiveMeets(shapes[id], area)).map(({ internalId }) => internalId);
      const found = index.read((reader) => {
        const bitmap = reader.newBitmap();
        selectShapes(reader, area, bitmap, room);
        const { bytes } = reader.instance;
        return reader.segments.flatMap(({ base, ref }, place) =>
          Array.from({ length: ref.docCount }, (_, local) => local)
            .filter((local) => ((bytes[bitmap + ((base + local) >> 3)] as number) >> (local & 7)) & 1)
            .map((local) => place * 40 + local),
        );
      });
      t.same(found, expected, `area ${i} with ${room} bytes`);
    }
  }
  t.end();
});
