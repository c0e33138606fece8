/** GeoJSON values in flat arrays: runs of positions, and a bounding box per value. */

/** Types of runs. The holes of a polygon follow its outer ring. */
export const POINT = 0;
export const LINE = 1;
export const OUTER_RING = 2;
export const HOLE = 3;

/** Initial length of growing arrays. */
const FIRST_ROOM = 16;

type Numbers = Float64Array | Uint32Array | Uint8Array;

/** A typed array that doubles when it is full. */
class Growing<T extends Numbers> {
  length = 0;

  constructor(public values: T) {}

  push(value: number): void {
    if (this.length === this.values.length) {
      const wider = new (this.values.constructor as new (length: number) => T)(this.length * 2);
      wider.set(this.values);
      this.values = wider;
    }
    this.values[this.length++] = value;
  }

  clear(): void {
    this.values = new (this.values.constructor as new (length: number) => T)(FIRST_ROOM);
    this.length = 0;
  }

  get bytes(): number {
    return this.values.byteLength;
  }
}

/** Shapes, numbered in the order in which they were added. */
export class Shapes {
  readonly #boxes = new Growing(new Float64Array(FIRST_ROOM));
  /** First run of each shape, and the end. */
  readonly #runs = new Growing(new Uint32Array(FIRST_ROOM));
  readonly #kinds = new Growing(new Uint8Array(FIRST_ROOM));
  /** First coordinate of each run, and the end. */
  readonly #starts = new Growing(new Uint32Array(FIRST_ROOM));
  readonly #coordinates = new Growing(new Float64Array(FIRST_ROOM));

  constructor() {
    this.#runs.push(0);
    this.#starts.push(0);
  }

  get count(): number {
    return this.#runs.length - 1;
  }

  get bytes(): number {
    const parts = [this.#boxes, this.#runs, this.#kinds, this.#starts, this.#coordinates];
    return parts.reduce((sum, { bytes }) => sum + bytes, 0);
  }

  /** West, south, east and north of shape n from 4n on; the box of an empty shape intersects nothing. */
  get boxes(): Float64Array {
    return this.#boxes.values;
  }

  /** Longitudes and latitudes alternating. */
  get coordinates(): Float64Array {
    return this.#coordinates.values;
  }

  /** The runs of a shape: [from, end). */
  runs(shape: number): [from: number, end: number] {
    return [this.#runs.values[shape] as number, this.#runs.values[shape + 1] as number];
  }

  kind(run: number): number {
    return this.#kinds.values[run] as number;
  }

  /** First coordinate of a run; it ends where the next one begins. */
  start(run: number): number {
    return this.#starts.values[run] as number;
  }

  /** Adds a geometry, feature or collection as one shape; anything else is an empty shape. */
  add(value: unknown): void {
    const from = this.#coordinates.length;
    this.#collect(value);
    this.#runs.push(this.#kinds.length);
    const box = [Infinity, Infinity, -Infinity, -Infinity] as [number, number, number, number];
    for (let at = from; at < this.#coordinates.length; at += 2) {
      const x = this.coordinates[at] as number;
      const y = this.coordinates[at + 1] as number;
      box[0] = Math.min(box[0], x);
      box[1] = Math.min(box[1], y);
      box[2] = Math.max(box[2], x);
      box[3] = Math.max(box[3], y);
    }
    for (const edge of box) this.#boxes.push(edge);
  }

  /** Drops the positions of all shapes so far, but keeps their boxes. */
  dropPositions(): void {
    this.#kinds.clear();
    this.#starts.clear();
    this.#starts.push(0);
    this.#coordinates.clear();
  }

  #collect(value: unknown): void {
    if (typeof value !== 'object' || value === null) return;
    const { type, coordinates, geometry, geometries, features } = value as Record<string, unknown>;
    switch (type) {
      case 'Point':
        this.#run(POINT, [coordinates]);
        break;
      case 'MultiPoint':
        for (const position of coordinates as unknown[]) this.#run(POINT, [position]);
        break;
      case 'LineString':
        this.#run(LINE, coordinates as unknown[]);
        break;
      case 'MultiLineString':
        for (const line of coordinates as unknown[][]) this.#run(LINE, line);
        break;
      case 'Polygon':
        this.#polygon(coordinates as unknown[][]);
        break;
      case 'MultiPolygon':
        for (const rings of coordinates as unknown[][][]) this.#polygon(rings);
        break;
      case 'Feature':
        this.#collect(geometry);
        break;
      case 'GeometryCollection':
        for (const part of geometries as unknown[]) this.#collect(part);
        break;
      case 'FeatureCollection':
        for (const part of features as unknown[]) this.#collect(part);
    }
  }

  #polygon(rings: unknown[][]): void {
    rings.forEach((ring, place) => {
      this.#run(place === 0 ? OUTER_RING : HOLE, ring);
    });
  }

  #run(kind: number, positions: unknown[]): void {
    for (const [lng, lat] of positions as [number, number][]) {
      this.#coordinates.push(lng);
      this.#coordinates.push(lat);
    }
    this.#kinds.push(kind);
    this.#starts.push(this.#coordinates.length);
  }
}
