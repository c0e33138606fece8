import t from 'tap';
import { memberBounds, memberNamed } from '../engine/member-bounds.js';
import { type SeededRandom, seededRandom } from './random.js';

const SEED = Number(process.env.SEED ?? 417);
const CASES = 500;
t.comment(`seed ${SEED}`);

const TEXTS = ['', 'a', ']', '[1', '"', '\\', 'é', '_vectors', '{"x":', ','];
const NUMBERS = [0, -1, 2.5, 1e21, -3e-7, 12345678];

function randomValue(random: SeededRandom, depth: number): unknown {
  const some = <T>(make: () => T): T[] => Array.from({ length: random.int(4) }, make);
  switch (random.int(depth > 0 ? 7 : 4)) {
    case 0:
      return random.pick(NUMBERS);
    case 1:
      return random.pick(TEXTS);
    case 2:
      return random.pick([null, true, false]);
    case 3:
      return some(() => random.pick(NUMBERS));
    case 4:
      return some(() => randomValue(random, depth - 1));
    case 5:
      return some(() => some(() => random.pick(NUMBERS)));
    default:
      return Object.fromEntries(some(() => [random.pick(TEXTS), randomValue(random, depth - 1)]));
  }
}

t.test('ranges of members agree with a parser', (t) => {
  const random = seededRandom(SEED);
  for (let i = 0; i < CASES; i++) {
    const object = Object.fromEntries(
      Array.from({ length: random.int(6) }, (_, k) => [`${random.pick(TEXTS)}${k}`, randomValue(random, 3)]),
    );
    const json = Buffer.from(JSON.stringify(object, null, random.pick([0, 0, 1, 3])));
    const found = [...memberBounds(json)].map(({ name, from, to }) => [name, JSON.parse(json.toString('utf8', from, to))]);
    t.same(Object.fromEntries(found), object, `case ${i}`);
    for (const name of Object.keys(object)) {
      const { from, to } = memberNamed(json, name) ?? { from: 0, to: 0 };
      t.same(JSON.parse(json.toString('utf8', from, to)), object[name]);
    }
  }
  t.end();
});
