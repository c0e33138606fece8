import { pointsOf } from './segment-arrays.js';
import type { IndexReader } from './segments.js';

/** Distances of documents from a point, in metres rounded to millimetres; NaN for documents without a location. */
export function geoDistances(reader: IndexReader, lat: number, lng: number, slots: readonly number[]): Float64Array {
  const distances = new Float64Array(slots.length).fill(Number.NaN);
  for (const segment of reader.segments) {
    const { instance, base } = segment;
    const points = pointsOf(segment);
    const places = [...slots.keys()].filter((place) => reader.segmentOf(slots[place] as number) === segment);
    if (points === 0 || places.length === 0) continue;
    instance.scoped(() => {
      const locals = instance.putWords(places.map((place) => (slots[place] as number) - base));
      const out = instance.alloc(places.length * Float64Array.BYTES_PER_ELEMENT);
      instance.exports.geoDistances(points, lat, lng, locals, places.length, out);
      const found = instance.f64(out, places.length);
      for (const [index, place] of places.entries()) distances[place] = found[index] as number;
    });
  }
  return distances;
}
