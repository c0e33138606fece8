import * as levenshtein from 'fastest-levenshtein';
import t from 'tap';
import { SegmentBuilder } from '../engine/builder.js';
import { SegmentView } from '../engine/exports.js';
import type { EngineInstance } from '../engine/instance.js';
import { PLAIN_CONFIG } from './builder-config.js';
import { type KernelInstance, loadKernels } from './engine.js';
import { type SeededRandom, seededRandom } from './random.js';

const LIMITS = { one: 150, two: 50 };

/** Restricted Damerau-Levenshtein distances of a text to all beginnings of another one: the last row of the whole table. */
function distances(a: readonly string[], b: readonly string[]): number[] {
  const table = Array.from({ length: a.length + 1 }, (_, i) => Array.from({ length: b.length + 1 }, (_, j) => (i === 0 ? j : i)));
  const at = (i: number, j: number): number => table[i]?.[j] ?? 0;
  for (let i = 1; i <= a.length; i++) {
    for (let j = 1; j <= b.length; j++) {
      const replaced = at(i - 1, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1);
      let least = Math.min(replaced, at(i - 1, j) + 1, at(i, j - 1) + 1);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) least = Math.min(least, at(i - 2, j - 2) + 1);
      (table[i] as number[])[j] = least;
    }
  }
  return table[a.length] as number[];
}

/** Distance to a word, or to the nearest of its prefixes. */
function distanceTo(query: string, word: string, prefix: boolean): number {
  const all = distances([...query], [...word]);
  return prefix ? Math.min(...all) : (all.at(-1) as number);
}

function naive(words: readonly string[], query: string, budget: number, prefix: boolean): { one: string[]; two: string[] } {
  const one: string[] = [];
  const two: string[] = [];
  for (const word of words) {
    const apart = distanceTo(query, word, prefix);
    const sameFirst = [...word][0] === [...query][0];
    if (apart === 0) continue;
    if (sameFirst && apart === 1) one.push(word);
    else if (budget === 2 && ((sameFirst && apart === 2) || (!sameFirst && apart === 1))) two.push(word);
  }
  return { one: one.slice(0, LIMITS.one), two: two.slice(0, LIMITS.two) };
}

function dictionary(engine: EngineInstance, words: readonly string[]): SegmentView {
  const builder = new SegmentBuilder(engine, { ...PLAIN_CONFIG, searchable: ['t'] });
  const encoder = new TextEncoder();
  builder.add(0, encoder.encode('0'), encoder.encode(JSON.stringify({ id: 0, t: words })));
  return engine.exports.segmentOpen(engine.put(Buffer.concat(builder.finishInMemory().pieces)));
}

/** Has the engine search a dictionary as one of an older revision, without some of its parts. */
function drop(engine: KernelInstance, view: SegmentView, part: 'samples' | 'termBranches' | 'keyFilter' | 'termLetters'): void {
  new DataView(engine.bytes.buffer).setUint32(view + SegmentView.offset[part], 0, true);
}

const ALPHABETS = [
  ['a', 'b'],
  ['a', 'b', 'c', 'd', 'e'],
  [...'abcdefghij'],
  ['a', 'b', 'é', 'ж', '漢', '😀'],
  [...'abcdefghijklmnopqrstuvwxyz0123456789'],
];

function randomWord(random: SeededRandom, alphabet: readonly string[], longest: number): string {
  return Array.from({ length: 1 + random.int(longest) }, () => random.pick(alphabet)).join('');
}

/** A word after up to three edits. */
function withEdits(random: SeededRandom, alphabet: readonly string[], word: string): string {
  const letters = [...word];
  for (let edits = random.int(4); edits > 0; edits--) {
    const at = random.int(letters.length);
    const added = random.int(3) === 0 ? [] : [random.pick(alphabet)];
    if (random.int(4) === 0) letters.splice(at, 2, ...letters.slice(at, at + 2).reverse());
    else letters.splice(at, random.int(2), ...added);
  }
  return letters.join('') || random.pick(alphabet);
}

const bytewise = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b));

t.test('typo derivations agree with a full table of edit distances', async (t) => {
  const seed = Number(process.env.SEED ?? 20261);
  t.comment(`seed ${seed}`);
  const random = seededRandom(seed);
  for (let round = 0; round < 16; round++) {
    const alphabet = ALPHABETS[round % ALPHABETS.length] as string[];
    const longest = round % 3 === 2 ? 14 : 9;
    const engine = loadKernels();
    // letters outside the dictionary's folding stay as they are
    const words = [...new Set(Array.from({ length: 400 }, () => randomWord(random, alphabet, longest)))].map((word) =>
      word.normalize('NFKD'),
    );
    const view = dictionary(engine, words);
    const count = engine.exports.termCountOf(view);
    const terms = Array.from({ length: count }, (_, term) =>
      engine.text(engine.exports.termBegin(view, term), engine.exports.termLength(view, term)),
    );
    t.same(terms, [...terms].sort(bytewise), 'the dictionary is sorted');
    // the dictionary is searched without one of these parts in some rounds
    if (round % 2 === 0) drop(engine, view, 'samples');
    if (round % 3 === 0) drop(engine, view, 'termBranches');
    if (round % 4 === 1) drop(engine, view, 'keyFilter');
    if (round % 5 === 4) drop(engine, view, 'termLetters');
    for (let k = 0; k < 200; k++) {
      const text = random.int(2) === 0 ? random.pick(terms) : randomWord(random, alphabet, longest);
      const found = engine.scoped(() => {
        const { pointer, length } = engine.putText(text);
        const from = engine.exports.prefixStart(view, pointer, length, 0, count);
        return [from, engine.exports.prefixEnd(view, pointer, length, from, count)];
      });
      const start = terms.findIndex((term) => bytewise(term, text) >= 0);
      const from = start < 0 ? count : start;
      const wanted = [from, from + terms.filter((term) => term.startsWith(text)).length];
      if (found.join() !== wanted.join()) t.same(found, wanted, `terms that start with ${text}`);
      const number = engine.scoped(() => {
        const { pointer, length } = engine.putText(text);
        return engine.exports.termFind(view, pointer, length);
      });
      if (number !== terms.indexOf(text)) t.equal(number, terms.indexOf(text), `the term ${text}`);
    }
    for (let k = 0; k < 25; k++) {
      const query = random.int(3) === 0 ? randomWord(random, alphabet, longest) : withEdits(random, alphabet, random.pick(terms));
      for (const [budget, prefix] of [
        [1, false],
        [2, false],
        [1, true],
        [2, true],
      ] as const) {
        const found = engine.scoped(() => {
          const { pointer, length } = engine.putText(query);
          const result = engine.exports.typoTerms(view, 0, 0, pointer, length, budget, prefix, LIMITS.one, LIMITS.two);
          const [one, oneCount, two, twoCount] = engine.u32(result, 4) as unknown as [number, number, number, number];
          const named = (at: number, n: number): string[] => [...engine.u32(at, n)].map((term) => terms[term] as string);
          return { one: named(one, oneCount), two: named(two, twoCount) };
        });
        const wanted = naive(terms, query, budget, prefix);
        if (JSON.stringify(found) !== JSON.stringify(wanted)) {
          t.same(found, wanted, `typos of ${query}, budget ${budget}, prefix ${prefix}`);
          return;
        }
      }
    }
  }
  t.pass('all alike');
});

t.test('the naive distance agrees with fastest-levenshtein, except for transpositions', async (t) => {
  const random = seededRandom(7);
  for (let k = 0; k < 2000; k++) {
    const a = randomWord(random, [...'abc'], 8);
    const b = randomWord(random, [...'abc'], 8);
    const plain = levenshtein.distance(a, b);
    const restricted = distances([...a], [...b]).at(-1) as number;
    if (restricted > plain || plain > 2 * restricted) t.fail(`${a} ${b}: ${restricted} against ${plain}`);
  }
  t.pass('never more, and at most twice as near');
});
