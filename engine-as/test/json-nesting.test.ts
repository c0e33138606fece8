import t from 'tap';
import { compactJson, DocumentKeys } from '../../bindings/engine/json.js';
import { loadPlainEngine } from '../../bindings/test/engine.js';
import { seededRandom } from '../../bindings/test/random.js';

const SEED = Number(process.env.SEED ?? 45);
const bytes = (text: string) => new TextEncoder().encode(text);
const engine = loadPlainEngine();

/** A text of many levels in which values of all lengths follow and precede what is nested, and members are repeated. */
function nested(levels: number, random: ReturnType<typeof seededRandom>): string {
  let json = '"innermost"';
  for (let level = 0; level < levels; level++) {
    const beside = () =>
      random.pick(['1', '"}]\\"{["', '[]', '{ }', `[${'[1, 2], '.repeat(random.int(20))}3]`, `"${'x'.repeat(random.int(90))}"`]);
    json = random.pick([
      () => `{"a": ${beside()}, "b": ${json}, "c": ${beside()}}`,
      () => `[${beside()}, ${json}, ${beside()}]`,
      () => `{"a": ${beside()}, "b": ${beside()}, "a" : ${json}}`,
    ])();
  }
  return json;
}

/** Repetitions that are timed together: clocks of CPU time may advance in steps of milliseconds. */
const REPETITIONS = 20;

/** CPU time in microseconds. */
function cost(job: () => void): number {
  const before = process.cpuUsage();
  for (let i = 0; i < REPETITIONS; i++) job();
  return process.cpuUsage(before).user;
}

t.test('values of many levels keep their values when they are written compactly', (t) => {
  const random = seededRandom(SEED);
  for (let round = 0; round < 400; round++) {
    const json = nested(1 + random.int(40), random);
    const compact = new TextDecoder().decode(compactJson(engine, bytes(json)));
    t.equal(compact, JSON.stringify(JSON.parse(json)), `seed ${SEED} round ${round}`);
  }
  t.end();
});

/** A document of about 200 kB whose shape stands in so many collections. */
function collections(levels: number): Uint8Array {
  const line = `{"type": "LineString", "coordinates": [${'[12.5, 48.25], '.repeat(13_000)}[1, 2]]}`;
  return bytes(
    `{"id": 1, "_geojson": ${'{"type":"GeometryCollection","geometries":['.repeat(levels)}${line}${']}'.repeat(levels)}}`,
  );
}

t.test('the time for a document does not grow with the levels of its values', (t) => {
  const keys = new DocumentKeys(engine, 'id');
  const jobs = {
    'checking a shape': (json: Uint8Array) => keys.read({ bytes: json, places: Uint32Array.of(0, json.length) }),
    'writing it compactly': (json: Uint8Array) => compactJson(engine, json),
  };
  const [flat, deep] = [collections(1), collections(200)];
  for (const [name, job] of Object.entries(jobs)) {
    const ratio =
      cost(() => job(deep)) /
      Math.max(
        1,
        cost(() => job(flat)),
      );
    t.ok(ratio < 10, `${name}: ${ratio.toFixed(1)} times as long`);
  }
  t.end();
});
