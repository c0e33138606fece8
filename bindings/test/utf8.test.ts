import t from 'tap';
import { byteLength, mostBytes, readText, writeText } from '../engine/utf8.js';
import { seededRandom } from './random.js';

const ALPHABETS = ['abc xyz\u0000', 'aé€ß', 'a日本', 'a😀\ud800\udc00', '\ud83d\ude00\ufeff\ufffd'];
/** Around the lengths from which texts are read and written in another way. */
const LENGTHS = [0, 1, 63, 64, 65, 65_535, 65_536, 65_537];

function texts(): string[] {
  const random = seededRandom(8);
  return ALPHABETS.flatMap((alphabet) =>
    LENGTHS.map((length) => Array.from({ length }, () => alphabet[random.int(alphabet.length)]).join('')),
  );
}

/** Nothing may be written outside of the place of a text. */
const GUARD = 0xa5;

for (const kind of [ArrayBuffer, SharedArrayBuffer]) {
  t.test(`words in memory: ${kind.name}`, async (t) => {
    for (const text of texts()) {
      const expected = Buffer.from(text);
      const bytes = new Uint8Array(new kind(expected.length + 2)).fill(GUARD);
      const written = writeText(text, bytes, 1);
      t.ok(Buffer.from(bytes.slice(1, -1)).equals(expected), 'bytes');
      t.same([written, byteLength(text), bytes[0], bytes.at(-1)], [expected.length, expected.length, GUARD, GUARD]);
      t.ok(mostBytes(text) >= expected.length);
      t.ok(readText(bytes, 1, 1 + written) === expected.toString(), 'text');
    }
  });

  t.test(`what is not UTF-8: ${kind.name}`, async (t) => {
    for (const text of [[0xff], [0xc3], [0x61, 0xed, 0xa0, 0x80, 0x62], [0xf0, 0x9f, 0x98], [0xef, 0xbb, 0xbf, 0x61]]) {
      const bytes = new Uint8Array(new kind(text.length));
      bytes.set(text);
      t.equal(readText(bytes, 0, text.length), Buffer.from(text).toString());
    }
  });
}
