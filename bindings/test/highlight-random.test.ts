import t from 'tap';
import { formattedText, termsOf } from './hit-case.js';
import type { MatchTerms } from './match-terms.js';
import { naiveMatches } from './naive-matches.js';
import { seededRandom } from './random.js';

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** The highlighted text. */
function naiveHighlight(text: string, terms: MatchTerms): string {
  const bytes = encoder.encode(text);
  let marked = '';
  let written = 0;
  for (const { from, to } of naiveMatches(text, terms).matches) {
    marked += `${decoder.decode(bytes.subarray(written, from))}<em>${decoder.decode(bytes.subarray(from, to))}</em>`;
    written = to;
  }
  return marked + decoder.decode(bytes.subarray(written));
}

t.test('random texts and terms agree with a naive implementation', async (t) => {
  const seed = 31337;
  const random = seededRandom(seed);
  const letters = ['a', 'b', 'é', 'e\u0301', 'œ', 'ß', 'İ', '語', '🦊', '0', 'A', '\u0001'];
  const separators = [' ', ', ', '. ', '-', '.', '!', '"'];
  const lemmas = ['a', 'b', 'e', 'ab', 'ba', 'oe', 'aoe', 'ß', '0', 'ae', 'e0', 'bb', 'abe'];
  const word = () => Array.from({ length: 1 + random.int(3) }, () => random.pick(letters)).join('');
  const some = <T>(most: number, make: () => T): T[] => Array.from({ length: random.int(most + 1) }, make);
  for (let round = 0; round < 1500; round++) {
    const text = some(8, () => word() + random.pick(separators)).join('') + word();
    const terms: MatchTerms = {
      words: some(3, () => ({
        text: random.pick(lemmas),
        prefix: random.int(3) === 0,
        known: true,
        typos: some(2, () => random.pick(lemmas)),
        positions: [1, 2].slice(random.int(2)),
      })),
      sequences: some(2, () => {
        const middle = some(2, () => (random.int(3) === 0 ? null : random.pick(lemmas)));
        return { words: [random.pick(lemmas), ...middle, random.pick(lemmas)], positions: [0, 1] };
      }),
      stopWords: some(1, () => random.pick(lemmas)),
      ...(random.int(4) === 0 ? { indexed: ['a', 'e', 'ab', 'oe', 'b0'] } : {}),
    };
    const expected = naiveHighlight(text, terms);
    const found = formattedText(text, terms);
    if (found !== expected) {
      t.equal(found, expected, `seed ${seed}, round ${round}: ${JSON.stringify({ text, terms })}`);
      return;
    }
  }
  t.pass('1500 texts');
});

t.test('random ASCII texts, which take the fast path, agree with a naive implementation', async (t) => {
  const seed = 7177;
  const random = seededRandom(seed);
  // now and then a sign that needs the stream after all
  const sign = () => String.fromCharCode(random.int(40) === 0 ? random.int(128) : random.pick([0x20, 0x2e, 0x41, 0x61, 0x62]));
  const lemmas = ['a', 'b', 'ab', 'ba', 'aa', 'aab', 'abba', 'a<', '0'];
  for (let round = 0; round < 2000; round++) {
    const text = Array.from({ length: random.int(60) }, sign).join('') + random.pick(['', '.', ', ', 'a']);
    const terms = termsOf(`"${random.pick(lemmas)} ${random.pick(lemmas)}" ${random.pick(lemmas)} ${random.pick(lemmas)}`);
    const expected = naiveHighlight(text, terms);
    const found = formattedText(text, terms);
    if (found !== expected) {
      t.equal(found, expected, `seed ${seed}, round ${round}: ${JSON.stringify({ text, terms })}`);
      return;
    }
  }
  t.pass('2000 texts');
});
