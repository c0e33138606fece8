import t from 'tap';
import { RESERVED_POINT, RESERVED_SHAPE, RESERVED_VECTORS } from '../engine/exports.js';
import { DocumentKeys } from '../engine/json.js';
import { loadPlainEngine } from './engine.js';
import { seededRandom } from './random.js';

const SEED = Number(process.env.SEED ?? 31);

const NUMBER = '-?\\d{1,60}(?:\\.\\d+)?';
const point = (first: string, second: string) => `"${first}"\\s*:\\s*${NUMBER}\\s*,\\s*"${second}"\\s*:\\s*${NUMBER}`;
const PLAIN = new RegExp(`^(?:null|\\{\\s*(?:${point('lat', 'lng')}|${point('lng', 'lat')})\\s*\\})$`);

/** A value of `_geo` that is a plain point, or one with a few differences. */
function randomPoint(random: ReturnType<typeof seededRandom>): string {
  const members = [
    ['"lat"', random.pick(['52.5', '-13', '0.25', '7'])],
    ['"lng"', random.pick(['1', '-0.5', '179.99999'])],
  ];
  if (random.int(2) === 0) members.reverse();
  for (let k = random.int(3); k > 0; k--) {
    const member = random.pick(members);
    if (random.int(2) === 0) member[0] = random.pick(['"lat"', '"lng"', '"la"', '"latt"', '"lo"', '"l\\u0061t"']);
    else member[1] = random.pick(['1e3', '"7"', 'null', '{"lat":1}', '[1]', '-2.5', '9'.repeat(40), `1${'0'.repeat(80)}`]);
  }
  if (random.int(8) === 0) members.push(['"alt"', '3']);
  if (random.int(8) === 0) members.pop();
  const gap = random.pick(['', ' ', '\n\t']);
  return `{${gap}${members.map(([name, value]) => `${name}${gap}:${gap}${value}`).join(`${gap},${gap}`)}${gap}}`;
}

t.test('reserved members are seen at the root of a document, however their names are written', async (t) => {
  const random = seededRandom(SEED);
  const engine = loadPlainEngine();
  let plain = 0;
  for (let round = 0; round < 3000; round++) {
    const members = ['"id":1', '"a":{"_geo":1,"_vectors":2,"_geojson":3}', '"_geos":"_geo"', '"_vector":[]'];
    let expected = 0;
    const place = () => random.int(members.length + 1);
    if (random.int(2) === 0) {
      const value = random.pick([randomPoint(random), randomPoint(random), 'null', '"1,2"', '[1,2]', '{}']);
      const isPlain = PLAIN.test(value);
      if (isPlain) plain++;
      else expected |= RESERVED_POINT;
      members.splice(place(), 0, `"${random.pick(['_geo', '\\u005fgeo', '_ge\\u006F'])}":${value}`);
    }
    if (random.int(3) === 0) {
      expected |= RESERVED_SHAPE;
      members.splice(place(), 0, `"${random.pick(['_geojson', '_geojso\\u006e'])}":{"type":"Point"}`);
    }
    if (random.int(3) === 0) {
      expected |= RESERVED_VECTORS;
      members.splice(place(), 0, `"${random.pick(['_vectors', '\\u005Fvectors'])}":null`);
    }
    const bytes = new TextEncoder().encode(`{${members.join(random.pick([',', ', ']))}}`);
    const path = random.pick(['id', '', 'a.id', 'missing']);
    const { reserved } = new DocumentKeys(engine, path).read({ bytes, places: Uint32Array.of(0, bytes.length) });
    const found = reserved?.[0] ?? 0;
    if (found !== expected) t.equal(found, expected, `seed ${SEED} round ${round}: ${Buffer.from(bytes)}`);
  }
  t.ok(plain > 300, 'plain points are among them');
});
