import t from 'tap';
import { evaluateFilter } from '../query/filter-evaluate.js';
import { parseFilter } from '../query/filter-parse.js';
import { bench, box, line, meets, point, polygon, polygonOf, radius, SETTINGS, ShapeIndex } from './geojson-case.js';
import type { Position } from './naive-area.js';
import { seededRandom } from './random.js';

const SEED = Number(process.env.SEED ?? 314);
t.comment(`seed ${SEED}`);

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

/** A shape in ten collections, each with other shapes before and after the one of the next level. */
function nestedCollection(innermost: unknown): unknown {
  const others = Array.from({ length: 5 }, (_, i) => point(20 + i, 20));
  const wrap = (geometry: unknown) => ({ geometries: [...others, geometry, ...others], type: 'GeometryCollection' });
  return Array.from({ length: 10 }).reduce(wrap, innermost);
}

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
  ['a point in collections of many levels', nestedCollection(point(3, 3)), true],
  ['collections of many levels beside the box', nestedCollection(point(9, 9)), false],
  ['collections of many levels around what is no shape', nestedCollection({ type: 'Point', coordinates: [3] }), false],
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

t.test('when the time is up nothing is selected, whether or not the filter is negated', (t) => {
  const index = new ShapeIndex([point(3, 3), point(9, 9)]);
  const { filter } = box(4, 4, 2, 2);
  for (const text of [filter, `NOT ${filter}`]) {
    let isTimedOut = false;
    const limit = { deadline: 0, onTimeout: () => (isTimedOut = true) };
    t.same([index.selected(text, limit), isTimedOut], [[false, false], true], text);
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
