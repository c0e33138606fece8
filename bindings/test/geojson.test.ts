import t from 'tap';
import { EngineBench } from '../../test/differential/engine-index.js';
import { completeSettings } from '../../test/oracle/settings.js';
import { evaluateFilter } from '../query/filter-evaluate.js';
import { parseFilter } from '../query/filter-parse.js';
import type { TimeLimit } from '../time-limit.js';
import { boxArea, type Position, polygonArea, radiusArea } from './naive-area.js';
import { naiveMeets } from './naive-geojson.js';
import { type SeededRandom, seededRandom } from './random.js';

const SEED = Number(process.env.SEED ?? 314);
t.comment(`seed ${SEED}`);

const bench = new EngineBench();
const SETTINGS = completeSettings({ filterableAttributes: ['_geojson'] });

/** A geo filter, and what the naive implementation says of a shape; null: rounding decides. */
interface AreaFilter {
  filter: string;
  meets(shape: unknown): boolean | null;
}

function radius(lat: number, lng: number, metres: number, resolution = 125): AreaFilter {
  // Sines of the engine differ from those of JavaScript in the last digit.
  const [inner, outer] = [1 - 1e-9, 1 + 1e-9].map((factor) => radiusArea(lat, lng, metres * factor, resolution));
  return {
    filter: `_geoRadius(${lat}, ${lng}, ${metres}, ${resolution})`,
    meets(shape) {
      const met = naiveMeets(shape, inner!);
      return met === naiveMeets(shape, outer!) ? met : null;
    },
  };
}

function box(north: number, east: number, south: number, west: number): AreaFilter {
  const area = boxArea(north, east, south, west);
  return {
    filter: `_geoBoundingBox([${north}, ${east}], [${south}, ${west}])`,
    meets: (shape) => naiveMeets(shape, area),
  };
}

function polygonOf(corners: readonly Position[]): AreaFilter {
  const area = polygonArea([...corners]);
  return {
    filter: `_geoPolygon(${corners.map(([lng, lat]) => `[${lat}, ${lng}]`).join(', ')})`,
    meets: (shape) => naiveMeets(shape, area),
  };
}

interface Spread {
  segments?: number;
  memories?: number;
  keptBytes?: number;
}

/** Which shapes of an index filters select, after the answers were compared with those of the naive implementation. */
class ShapeIndex {
  readonly #index;
  readonly #perSegment: number;

  constructor(
    readonly shapes: readonly unknown[],
    { segments = 1, memories = 1, keptBytes }: Spread = {},
  ) {
    const documents = shapes.map((shape, id) => ({ internalId: id, json: JSON.stringify({ id, _geojson: shape }) }));
    this.#perSegment = Math.max(1, Math.ceil(shapes.length / segments));
    this.#index = bench.index(SETTINGS, documents, { segments, memories }, new Set(), keptBytes);
  }

  selected(filter: string, limit?: TimeLimit): boolean[] {
    return this.#index.read((reader) => {
      const bitmap = evaluateFilter(reader, parseFilter(filter, 'invalid_search_filter')!, limit);
      const { bytes } = reader.instance;
      return this.shapes.map((_, id) => {
        const { base } = reader.segments[Math.floor(id / this.#perSegment)]!;
        const slot = base + (id % this.#perSegment);
        return ((bytes[bitmap + (slot >> 3)]! >> (slot & 7)) & 1) === 1;
      });
    });
  }

  meeting(area: AreaFilter): boolean[] {
    const selected = this.selected(area.filter);
    for (const [id, shape] of this.shapes.entries()) {
      const expected = area.meets(shape);
      if (expected === null || expected === selected[id]) continue;
      throw new Error(`${selected[id]}: ${area.filter} and ${JSON.stringify(shape)}`);
    }
    return selected;
  }
}

/** Whether a shape is selected. */
const meets = (shape: unknown, area: AreaFilter) => new ShapeIndex([shape]).meeting(area)[0];

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
  const selected = new ShapeIndex(SHAPES.map(([, shape]) => shape)).meeting(box(4, 4, 2, 2));
  for (const [id, [name, , expected]] of SHAPES.entries()) t.equal(selected[id], expected, name);
  t.end();
});

t.test('a box over the antimeridian', (t) => {
  const shapes = [point(175, 0), point(-175, 0), point(180, 0), point(0, 0)];
  t.same(new ShapeIndex(shapes).meeting(box(10, -170, -10, 170)), [true, true, true, false]);
  t.end();
});

t.test('a polygon is closed by itself, and may repeat its first corner', (t) => {
  const corners: Position[] = [
    [0, 0],
    [4, 0],
    [0, 4],
  ];
  const points = new ShapeIndex([point(1, 1), point(2, 2), point(3, 3)]);
  for (const ring of [corners, [...corners, corners[0]!]]) t.same(points.meeting(polygonOf(ring)), [true, true, false]);
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
  for (let i = 0; i < 75; i++) {
    const [lat, lng] = [random.pick([0, 48.5, -60, 80, 89, -89.5]), random.pick([0, 2.3, 179, -179.9, 120])];
    const metres = random.pick([1000, 100_000, 1_000_000, 3_000_000, 9_500_000, 16_000_000]);
    const spread = (metres / 111_000) * 3;
    const positions = Array.from({ length: 40 }, () => {
      const otherLat = Math.max(-90, Math.min(90, lat + ((random.int(2001) - 1000) / 1000) * spread));
      const turn = ((random.int(2001) - 1000) / 1000) * Math.min(180, spread / Math.max(0.01, Math.cos(lat * radians)));
      return [((((lng + turn + 180) % 360) + 360) % 360) - 180, otherLat] as const;
    });
    const selected = new ShapeIndex(positions.map((position) => point(...position))).meeting(radius(lat, lng, metres));
    for (const [place, [otherLng, otherLat]] of positions.entries()) {
      const ratio = distance(lat, lng, otherLat, otherLng) / metres;
      // corners joined by straight lines on the map are not the circle itself
      if (ratio > 0.8 && ratio < 1.2) continue;
      judged++;
      if (selected[place] !== ratio < 1) {
        t.fail(`${metres} m around ${lat}, ${lng}: ${otherLat}, ${otherLng} is ${ratio} radii away`);
      }
    }
  }
  t.ok(judged > 1000, `${judged} points`);
  t.end();
});

t.test('a circle of no size is a point, one around the earth everything, one of negative size nothing', (t) => {
  t.ok(meets(point(5, 6), radius(6, 5, 0)));
  t.notOk(meets(point(5.001, 6), radius(6, 5, 0)));
  t.ok(meets(point(-100, -80), radius(6, 5, 30_000_000)));
  t.notOk(meets(point(5, 6), radius(6, 5, -1)));
  t.ok(meets(point(2.3522, 48.8566), radius(48.8566, 2.3522, 0)));
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

function randomArea(random: SeededRandom, grid: number): AreaFilter {
  const [x, y] = randomPosition(random, grid);
  switch (random.int(3)) {
    case 0:
      return radius(y, x, random.pick([0, 1000, 100_000, 1_000_000, 9_500_000, 16_000_000]), 3 + random.int(60));
    case 1: {
      const [otherX, otherY] = randomPosition(random, grid);
      return box(Math.max(y, otherY), otherX, Math.min(y, otherY), x);
    }
    default:
      return polygonOf(randomRun(random, grid, 3));
  }
}

t.test('random shapes and areas agree with a naive implementation', (t) => {
  const random = seededRandom(SEED + 1);
  let met = 0;
  for (let i = 0; i < 50; i++) {
    const grid = random.pick([1, 2, 1000]);
    const index = new ShapeIndex(Array.from({ length: 40 }, () => randomShape(random, grid)));
    for (let k = 0; k < 10; k++) met += index.meeting(randomArea(random, grid)).filter(Boolean).length;
  }
  t.ok(met > 2000 && met < 18_000, `${met} meet`);
  t.end();
});

t.test('documents of several segments, with and without memory for shapes', (t) => {
  const random = seededRandom(SEED + 2);
  for (const keptBytes of [undefined, 1 << 18, 0]) {
    const shapes = Array.from({ length: 1200 }, () =>
      random.pick([undefined, null, randomShape(random, 2), randomShape(random, 2)]),
    );
    const index = new ShapeIndex(shapes, { segments: 3, memories: 2, ...(keptBytes === undefined ? {} : { keptBytes }) });
    for (let i = 0; i < 10; i++) t.ok(index.meeting(randomArea(random, 2)).length, `area ${i} with ${keptBytes} bytes`);
  }
  t.end();
});

t.test('more documents than are kept together, among them one with very many positions', (t) => {
  const random = seededRandom(SEED + 3);
  const zigzag = line(...Array.from({ length: 70_000 }, (_, i) => [i / 1000, i % 2]));
  const shapes = Array.from({ length: 2500 }, (_, id) => (id === 1500 ? zigzag : randomShape(random, 2)));
  const index = new ShapeIndex(shapes);
  for (let round = 0; round < 2; round++) {
    t.ok(index.meeting(box(0.5, 69, 0.25, 68))[1500], 'it crosses a box');
    t.notOk(index.meeting(box(3, 69, 2, 68))[1500], 'it does not reach another');
  }
  t.end();
});

t.test('when the time is up nothing is selected, whether or not the filter is negated', (t) => {
  const index = new ShapeIndex([point(3, 3), point(9, 9)]);
  const { filter } = box(4, 4, 2, 2);
  for (const text of [filter, `NOT ${filter}`]) {
    let isCut = false;
    const limit = { deadline: 0, onCut: () => (isCut = true) };
    t.same([index.selected(text, limit), isCut], [[false, false], true], text);
  }
  t.end();
});

t.test('members are found however they are written, and the last of several counts', (t) => {
  const shapes = [
    '{"type":"Line","coordinates":7,"\\u0074ype":"P\\u006fint","coordinates":[ 3 , 3 , 100 ] }',
    '{ "coordinates" : [[ 0,3],\n[9, 3e0 ] ] , "type" : "LineString" }',
    '{"type":"Point","coordinates":["3",3]}',
    '{"type":"Point","coordinates":[3]}',
    '{"type":"constructor","coordinates":[3,3]}',
    '{"coordinates":[3,3]}',
    '"Point"',
  ];
  const documents = shapes.map((shape, id) => ({ internalId: id, json: `{"id":${id},"\\u005fgeojson":${shape}}` }));
  const index = bench.index(SETTINGS, documents, { segments: 1, memories: 1 });
  index.read((reader) => {
    const bitmap = evaluateFilter(reader, parseFilter(box(4, 4, 2, 2).filter, 'invalid_search_filter')!);
    t.equal(reader.instance.bytes[bitmap], 0b11);
  });
  t.end();
});
