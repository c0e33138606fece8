import t from 'tap';
import { NEAR_COSTS, type Pointer } from '../../bindings/engine/exports.js';
import { type SeededRandom, seededRandom } from '../../bindings/test/random.js';
import { type Case, caseOf, codesOf, everyCase, type Range, randomRange, SEED, source } from './cost-cases.js';

/** The least cost of two neighbours in a document; -1: they are distant. */
function naive(left: readonly number[], right: readonly number[], forward: boolean, backward: boolean): number {
  const places = new Set(right);
  const stands = (distance: number) => left.some((code) => places.has(code + distance) && (code + distance) >> 16 === code >> 16);
  const costs = [1, 2, 3].flatMap((distance) => [
    ...(forward && stands(distance) ? [distance - 1] : []),
    ...(backward && distance < NEAR_COSTS && stands(-distance) ? [distance] : []),
  ]);
  return costs.length === 0 ? -1 : Math.min(...costs);
}

/** The costs of two neighbours in some documents, as the engine finds them in one of three ways, and as they should be; -1: they are distant. */
function edges(made: Case, docs: readonly number[], left: Range, right: Range, random: SeededRandom): [number[], number[]] {
  const { engine, bytes } = made;
  const { exports } = engine;
  const bitmapOf = (members: readonly number[]) => {
    const bitmap = exports.allocZeroed(bytes);
    for (const doc of members) exports.bitmapAdd(bitmap, doc);
    return bitmap;
  };
  const context = exports.contextCreate(bitmapOf(docs), bytes, docs.length);
  const occurrences = (range: Range) => {
    const wanted = engine.putWords([source(made, range), 1, 0, 0, 0]);
    exports.readOccurrences(context, engine.putWords([wanted]), 1);
    return new Uint32Array(engine.memory.buffer, wanted, 4)[3] as Pointer<'Occurrences'>;
  };
  const forward = random.int(3) > 0;
  const backward = !forward || random.int(2) === 0;
  const isRead = random.int(3) === 0;
  const counted = new Set(isRead ? docs : docs.filter(() => random.int(3) > 0));
  const near = exports.nearWordsCreate(context as Pointer<'Context'>);
  const from = occurrences(left);
  if (isRead) {
    const to = occurrences(right);
    if (forward) exports.lowerForward(near, from, to);
    if (backward) exports.lowerBackward(near, from, to);
  } else {
    const within = counted.size === docs.length ? 0 : bitmapOf([...counted]);
    const streamed = engine.putWords([made.view, 0, right[0], right[1], within]) as Pointer<'Source'>;
    exports.streamSource(near, from, streamed, exports.edgeCosts(forward, backward));
  }
  // The fields of NearWords.
  const [, at = 0] = new Uint32Array(engine.memory.buffer, near, 2);
  const found = [...new Int8Array(engine.memory.buffer, at, docs.length)];
  const expected = docs.map((doc) =>
    counted.has(doc) ? naive(codesOf(made, left, doc), codesOf(made, right, doc), forward, backward) : -1,
  );
  return [found, expected];
}

function randomDocs(random: SeededRandom, { docCount }: Case, share: number): number[] {
  return Array.from({ length: docCount }, (_, doc) => doc).filter(() => random.int(share) === 0);
}

everyCase('costs of neighbours', (made, random) =>
  edges(made, randomDocs(random, made, random.pick([1, 1, 4])), randomRange(random, made), randomRange(random, made), random),
);

/** Documents that contain a word each time a number is 0. */
const EVERY = { a: 1, b: 2, c: 12, d: 30 };

t.test('costs of frequent neighbours in few documents', async (t) => {
  const random = seededRandom(SEED);
  t.comment(`seed ${SEED}`);
  const text = () => Object.entries(EVERY).flatMap(([word, every]) => (random.int(every) === 0 ? [word] : []));
  const texts = () => Array.from({ length: random.pick([1, 1, 2, 9, 40]) }, text).flat();
  const documents = Array.from({ length: 2000 }, (_, id) => ({ id, f0: texts().join(' '), f1: texts().join(' ') }));
  const made = caseOf(documents);
  const words = Object.keys(EVERY).length;
  let filled = 0;
  for (let i = 0; i < 40; i++) {
    const docs = randomDocs(random, made, random.pick([1, 20, 100, 2000]));
    const [left, right] = [random.int(words), random.int(words)];
    const [found, expected] = made.engine.scoped(() => edges(made, docs, [left, left + 1], [right, right + 1], random));
    filled += expected.filter((cost) => cost >= 0).length;
    if (found.join() !== expected.join()) t.same(found, expected, `${i}`);
  }
  t.ok(filled > 1000, `${filled} documents have a cost`);
});
