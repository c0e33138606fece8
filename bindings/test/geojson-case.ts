/** Geo filters over shapes, and what the naive implementation says of them. */
import { EngineBench } from '../../test/differential/engine-index.js';
import { completeSettings } from '../../test/oracle/settings.js';
import { evaluateFilter } from '../query/filter-evaluate.js';
import { parseFilter } from '../query/filter-parse.js';
import type { TimeLimit } from '../time-limit.js';
import { boxArea, type Position, polygonArea, radiusArea } from './naive-area.js';
import { naiveMeets } from './naive-geojson.js';
import type { SeededRandom } from './random.js';

export const bench = new EngineBench();
export const SETTINGS = completeSettings({ filterableAttributes: ['_geojson'] });

/** A geo filter, and what the naive implementation says of a shape; null: rounding decides. */
export interface AreaFilter {
  filter: string;
  meets(shape: unknown): boolean | null;
}

export function radius(lat: number, lng: number, metres: number, resolution = 125): AreaFilter {
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

export function box(north: number, east: number, south: number, west: number): AreaFilter {
  const area = boxArea(north, east, south, west);
  return {
    filter: `_geoBoundingBox([${north}, ${east}], [${south}, ${west}])`,
    meets: (shape) => naiveMeets(shape, area),
  };
}

export function polygonOf(corners: readonly Position[]): AreaFilter {
  const area = polygonArea([...corners]);
  return {
    filter: `_geoPolygon(${corners.map(([lng, lat]) => `[${lat}, ${lng}]`).join(', ')})`,
    meets: (shape) => naiveMeets(shape, area),
  };
}

interface Spread {
  segments?: number;
  memories?: number;
  cacheBytes?: number;
}

/** Which shapes of an index filters select, after the answers were compared with those of the naive implementation. */
export class ShapeIndex {
  readonly #index;
  readonly #perSegment: number;

  constructor(
    readonly shapes: readonly unknown[],
    { segments = 1, memories = 1, cacheBytes }: Spread = {},
  ) {
    const documents = shapes.map((shape, id) => ({ internalId: id, json: JSON.stringify({ id, _geojson: shape }) }));
    this.#perSegment = Math.max(1, Math.ceil(shapes.length / segments));
    this.#index = bench.index(SETTINGS, documents, { segments, memories }, new Set(), cacheBytes);
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
export const meets = (shape: unknown, area: AreaFilter) => new ShapeIndex([shape]).meeting(area)[0];

export const point = (...coordinates: number[]) => ({ type: 'Point', coordinates });
export const line = (...coordinates: number[][]) => ({ type: 'LineString', coordinates });
export const polygon = (...coordinates: number[][][]) => ({ type: 'Polygon', coordinates });
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

export function randomShape(random: SeededRandom, grid: number, depth = 0): unknown {
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

export function randomArea(random: SeededRandom, grid: number): AreaFilter {
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
