import t from 'tap';
import { type SeededRandom, seededRandom } from '../../bindings/test/random.js';
import { type Case, caseOf, codesOf, everyCase, type Range, randomRange, SEED, sources } from './cost-cases.js';

/** The occurrences of sets of words in some documents: as the engine reads them, and as they should be. */
function occurrences(made: Case, sets: readonly Range[][], docs: readonly number[]): [found: number[], expected: number[]] {
  const { engine, bytes } = made;
  const bitmap = engine.exports.allocZeroed(bytes);
  for (const doc of docs) engine.exports.bitmapAdd(bitmap, doc);
  const words = (at: number, count: number) => [...new Uint32Array(engine.bytes.slice(at, at + 4 * count).buffer)];
  const wanted = sets.map((ranges) => engine.putWords([sources(made, ranges), ranges.length, 0, 0, 0]));
  engine.exports.readOccurrences(
    engine.exports.contextCreate(bitmap, bytes, docs.length),
    engine.putWords(wanted),
    wanted.length,
  );
  const found = wanted.flatMap((at) => {
    const [starts, codes] = words(words(at + 12, 1)[0] as number, 2) as [number, number];
    const ends = words(starts, docs.length + 1);
    return docs.flatMap((_, i) => [-1, ...words(codes + 4 * (ends[i] as number), (ends[i + 1] as number) - (ends[i] as number))]);
  });
  const expected = sets.flatMap((ranges) =>
    docs.flatMap((doc) => {
      const terms = new Set(ranges.flatMap(([from, to]) => Array.from({ length: to - from }, (_, i) => from + i)));
      return [-1, ...[...terms].flatMap((term) => codesOf(made, [term, term + 1], doc)).sort((a, b) => a - b)];
    }),
  );
  return [found, expected];
}

function randomDocs(random: SeededRandom, { docCount }: Case, share: number): number[] {
  return Array.from({ length: docCount }, (_, doc) => doc).filter(() => random.int(share) === 0);
}

everyCase('occurrences of several words that are read together', (made, random) => {
  const sets = Array.from({ length: 1 + random.int(4) }, () => {
    const [first, second] = [randomRange(random, made), randomRange(random, made)];
    return first[1] <= second[0] ? [first, second] : [first];
  });
  // All documents of a small segment, some of a large one: each has up to several thousand words.
  const share = random.pick([1, 1, 4, 40]) * Math.ceil(made.docCount / 40);
  return occurrences(made, sets, randomDocs(random, made, share));
});

/** Documents that contain a word each time a number is 0, from the most frequent word to the rarest. */
const EVERY = { a: 1, b: 2, c: 12, d: 30, e: 500 };

/** Frequent words, stored with a bitmap of their documents and without, have up to several hundred bytes of positions in a document. */
function frequentWords(random: SeededRandom, id: number): Record<string, unknown> {
  const times = () => (random.int(60) === 0 ? random.pick([250, 300]) : random.pick([1, 1, 2, 9]));
  const words = Object.entries(EVERY).flatMap(([word, every]) => (random.int(every) === 0 ? Array(times()).fill(word) : []));
  return { id, f0: `${'far '.repeat(random.int(3))}${words.join(' ')}` };
}

t.test('occurrences of frequent words in few documents', async (t) => {
  const random = seededRandom(SEED);
  t.comment(`seed ${SEED}`);
  const made = caseOf(Array.from({ length: 2000 }, (_, id) => frequentWords(random, id)));
  const ranges = Array.from(Object.keys(EVERY), (_, term): Range[] => [[term, term + 1]]);
  for (let i = 0; i < 30; i++) {
    const sets = i % 4 === 0 ? [...ranges, [[0, ranges.length] as const]] : ranges;
    const docs = randomDocs(random, made, random.pick([1, 20, 100, 400, 2000]));
    const [found, expected] = made.engine.scoped(() => occurrences(made, sets, docs));
    if (found.join() !== expected.join()) t.same(found, expected, `${i}`);
  }
});
