import t from 'tap';
import { seededRandom } from '../../bindings/test/random.js';
import { plainPointEnd } from '../index/build/plain-point.js';

const NUMBER = '-?\\d{1,60}(?:\\.\\d+)?';
const point = (first: string, second: string) => `"${first}"\\s*:\\s*${NUMBER}\\s*,\\s*"${second}"\\s*:\\s*${NUMBER}`;
const PLAIN = new RegExp(`^\\s*:\\s*\\{\\s*(?:${point('lat', 'lng')}|${point('lng', 'lat')})\\s*\\}`);
const PARTS = [':', ' ', '{', '"lat"', '"lng"', '"la"', '1', '-2.5', '3.', '.5', '1e3', ',', '}', '"7"', '\n', 'null'];

t.test('plain points are exactly those that a regular expression matches', async (t) => {
  const random = seededRandom(11);
  let plain = 0;
  for (let round = 0; round < 20_000; round++) {
    const parts = [':', '{', '"lat"', ':', '52.5', ',', '"lng"', ':', '-13', '}', ',"a":1}'];
    if (random.int(2) === 0) [parts[2], parts[6]] = ['"lng"', '"lat"'];
    for (let k = random.int(3); k > 0; k--) {
      const place = random.int(parts.length);
      parts.splice(place, random.int(2), random.pick(PARTS));
    }
    const text = parts.join(random.pick(['', ' ']));
    const expected = PLAIN.exec(text)?.[0].length ?? -1;
    if (expected >= 0) plain++;
    const found = plainPointEnd(Buffer.from(text), 0);
    if (found !== expected) t.equal(found, expected, text);
  }
  t.ok(plain > 1000);
  t.equal(
    plainPointEnd(Buffer.from(`:{"lat":${'9'.repeat(400)},"lng":1}`), 0),
    -1,
    'a number beyond all floats is looked at more closely',
  );
});
