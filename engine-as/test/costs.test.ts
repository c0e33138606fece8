import t from 'tap';
import { NEAR_COSTS } from '../../bindings/engine/exports.js';
import { type Case, caseOf, codesOf, everyCase, type Range, randomRange, source } from './cost-cases.js';

const POSITION_COSTS = 11;

/** The cost of each document by the naive implementation; -1: none. */
function naive({ docCount }: Case, cost: (doc: number) => number, costs: number): number[] {
  return Array.from({ length: docCount }, (_, doc) => {
    const own = cost(doc);
    return own < costs ? own : -1;
  });
}

/** The same from CostSets. */
function read({ engine, bytes, docCount }: Case, sets: number, costs: number): number[] {
  const found = new Array(docCount).fill(-1);
  for (let cost = 0; cost < costs; cost++) {
    const bitmap = engine.exports.allocZeroed(bytes);
    engine.exports.spreadCostSet(sets, cost, bitmap);
    const members = engine.bytes.slice(bitmap, bitmap + bytes);
    for (let doc = 0; doc < docCount; doc++) if (((members[doc >> 3] as number) >> (doc & 7)) & 1) found[doc] = cost;
  }
  return found;
}

/** The least distance from a left word to a later right word in one attribute; Infinity beyond three words. */
function nearest(left: readonly number[], right: readonly number[]): number {
  const places = new Set(right);
  const stands = (distance: number) => left.some((code) => places.has(code + distance) && (code + distance) >> 16 === code >> 16);
  return [1, 2, 3].find(stands) ?? Number.POSITIVE_INFINITY;
}

const LIMITS = [0, 1, 4, 7, 11, 16, 24, 64, 256, 1024];

/** docs/reference/ranking.md: positions are exact below 16, then rounded up to 24, 32, 64, … */
function positionCost(position: number, start: number): number {
  const bucket = position < 24 ? 24 : 2 ** Math.ceil(Math.log2(position));
  const distance = Math.abs((position < 16 ? position : bucket) - start);
  const cost = LIMITS.findIndex((limit) => distance <= limit);
  return cost < 0 ? LIMITS.length : cost;
}

everyCase('documents by the best weight of an attribute', (made, random) => {
  const { engine, bytes, fields } = made;
  const range = randomRange(random, made);
  const limit = 1 + random.int(8);
  const weights = fields.map(() => random.int(limit));
  const ascending = random.int(2) === 1;
  if (ascending) weights.sort((a, b) => a - b);
  const pointer = engine.put(new Uint8Array(Uint16Array.from(weights).buffer));
  const sets = engine.exports.weightSets(source(made, range), bytes, pointer, limit, ascending, 0);
  const best = (doc: number) => Math.min(limit, ...codesOf(made, range, doc).map((code) => weights[code >> 16] as number));
  return [read(made, sets, limit), naive(made, best, limit)];
});

everyCase('documents by how far a word is from its place', (made, random) => {
  const range = randomRange(random, made);
  const start = random.pick([0, 0, 1, 5, 14, 40]);
  const sets = made.engine.exports.positionSets(source(made, range), made.bytes, start, 0);
  const best = (doc: number) =>
    Math.min(POSITION_COSTS, ...codesOf(made, range, doc).map((code) => positionCost(code & 0xffff, start)));
  return [read(made, sets, POSITION_COSTS), naive(made, best, POSITION_COSTS)];
});

everyCase('documents by how near two words stand', (made, random) => {
  const [left, right] = [randomRange(random, made), randomRange(random, made)];
  const backward = random.int(2) === 1;
  const sets = made.engine.exports.pairSets(source(made, left), source(made, right), made.bytes, backward);
  const best = (doc: number) => {
    const [from, to] = [codesOf(made, left, doc), codesOf(made, right, doc)];
    return Math.min(nearest(from, to) - 1, backward ? nearest(to, from) : NEAR_COSTS);
  };
  return [read(made, sets, NEAR_COSTS), naive(made, best, NEAR_COSTS)];
});

everyCase('documents where a word follows another one', (made, random) => {
  const { engine, bytes, docCount } = made;
  const [left, right] = [randomRange(random, made), randomRange(random, made)];
  const distance = 1 + random.int(2);
  const wanted = Array.from({ length: docCount }, () => random.int(4) > 0);
  const members = wanted.flatMap((is, doc) => (is ? [doc] : []));
  const bitmap = engine.exports.allocZeroed(bytes);
  for (const doc of members) engine.exports.bitmapAdd(bitmap, doc);
  const sources = [source(made, left), 1, source(made, right), 1] as const;
  const kept = engine.exports.keepNear(bitmap, bytes, members.length, ...sources, distance, 0);
  const expected = wanted.map((is, doc) =>
    is && nearest(codesOf(made, left, doc), codesOf(made, right, doc)) <= distance ? 1 : -1,
  );
  const stayed = engine.bytes.slice(bitmap, bitmap + bytes);
  const found = expected.map((_, doc) => (((stayed[doc >> 3] as number) >> (doc & 7)) & 1 ? 1 : -1));
  return [
    [...found, kept],
    [...expected, expected.filter((is) => is === 1).length],
  ];
});

const GAP: number = 0xffffffff;

everyCase('documents where the words of a phrase stand together', (made, random) => {
  const { engine, view, bytes, docCount, terms } = made;
  const words = Array.from({ length: 2 + random.int(3) }, () => (random.int(6) === 0 ? GAP : random.int(terms.length)));
  if (words.every((term) => term === GAP)) words[0] = 0;
  const codes = (place: number, doc: number) => terms[words[place] as number]?.docs.get(doc) ?? [];
  const stands = (doc: number, place: number, distance: number) => {
    if (place + distance >= words.length || words[place] === GAP || words[place + distance] === GAP) return true;
    return nearest(codes(place, doc), codes(place + distance, doc)) <= distance;
  };
  const isPair = (place: number) => words[place] !== GAP && place + 1 < words.length && words[place + 1] !== GAP;
  const known = words.map((_, place) => isPair(place) && random.int(2) === 0);
  const areTogether = (doc: number) =>
    known.every(
      (is, place) => !is || (codes(place, doc).length > 0 && codes(place + 1, doc).length > 0 && stands(doc, place, 1)),
    );
  const wanted = Array.from({ length: docCount }, (_, doc) => random.int(4) > 0 && areTogether(doc));
  const within = engine.exports.allocZeroed(bytes);
  for (const [doc, is] of wanted.entries()) if (is) engine.exports.bitmapAdd(within, doc);
  const out = engine.exports.allocZeroed(bytes);
  const limit = random.pick([1, 7, GAP]);
  const mask = known.reduce((bits, is, place) => bits | (is ? 1 << place : 0), 0);
  const count = engine.exports.phraseDocuments(view, 0, engine.putWords(words), words.length, within, mask, out, limit);
  const matches = (doc: number) =>
    words.every(
      (term, place) => (term === GAP || codes(place, doc).length > 0) && stands(doc, place, 1) && stands(doc, place, 2),
    );
  const all = wanted.map((is, doc) => (is && matches(doc) ? 1 : -1));
  const most = all.filter((is) => is === 1).length;
  let left = limit;
  // the documents found are the first ones by number
  const expected = all.map((is) => (is === 1 && left-- > 0 ? 1 : -1));
  const members = engine.bytes.slice(out, out + bytes);
  const found = expected.map((_, doc) => (((members[doc >> 3] as number) >> (doc & 7)) & 1 ? 1 : -1));
  return [
    [...found, count],
    [...expected, Math.min(limit, most)],
  ];
});

t.test('the last word of a long attribute is not adjacent to the first one of the next', async (t) => {
  const made = caseOf([{ id: 0, f0: `${'a '.repeat(65535)}b`, f1: 'ca' }]);
  const pair = (left: Range, right: Range) =>
    made.engine.scoped(() => {
      const sets = made.engine.exports.pairSets(source(made, left), source(made, right), made.bytes, true);
      return read(made, sets, NEAR_COSTS);
    });
  const [a, b, ca] = [
    [0, 1],
    [1, 2],
    [2, 3],
  ] as const;
  t.same(
    codesOf(made, b, 0).map((code) => code & 0xffff),
    [65535],
  );
  t.same(pair(a, b), [0]);
  t.same(pair(b, ca), [-1]);
  t.same(pair(ca, b), [-1]);
});
