import fs from 'node:fs';
import zlib from 'node:zlib';
import t from 'tap';
import { Tokenizer } from '../../bindings/engine/tokenizer.js';
import { loadWordList } from '../../bindings/engine/word-lists.js';
import { loadPlainEngine } from '../../bindings/test/engine.js';
import { type SeededRandom, seededRandom } from '../../bindings/test/random.js';
import { NaiveLattice } from './naive-lattice.js';

const NO_SETTINGS = { stopWords: [], separatorTokens: [], nonSeparatorTokens: [], dictionary: [] };
const encoder = new TextEncoder();
const decoder = new TextDecoder();

interface Language {
  list: 'japanese' | 'korean';
  locales: string[];
  /** Words of one script without separators. */
  usable: RegExp;
  /** Placed between words: characters that the dictionary hardly has, each of another category. */
  strange: string[];
}

const LANGUAGES: Language[] = [
  {
    list: 'japanese',
    locales: ['jpn'],
    usable: /^[ぁ-ゖァ-ヺー一-鿌]+$/,
    strange: ['12', '〇', '一', '𠮷', 'ゝ', 'ヴァヴォー', '㐀', 'ゎゎゎ', '=='],
  },
  { list: 'korean', locales: [], usable: /^[가-힣]+$/, strange: ['12', 'Ａ１', '뷁', '㈱', 'ｶﾞ', '==', 'ㅋㅋㅋ'] },
];

/** Concatenated words and beginnings of words. */
function wordSalad(random: SeededRandom, words: string[], strange: string[], count: number): string {
  const part = () => {
    if (random.int(8) === 0) return random.pick(strange);
    const word = random.pick(words);
    return random.int(3) === 0 ? [...word].slice(0, 1 + random.int(2)).join('') : word;
  };
  return random.pick(words) + Array.from({ length: count }, part).join('');
}

for (const { list, locales, usable, strange } of LANGUAGES) {
  const engine = loadPlainEngine();
  const bytes = zlib.gunzipSync(fs.readFileSync(new URL(`../../../engine-as/data/${list}.words.gz`, import.meta.url)));
  loadWordList(engine, list, bytes);
  const naive = new NaiveLattice(bytes);
  const words = [...naive.words.keys()].filter((word) => usable.test(word));

  const pieces = (text: string): string[] => {
    const raw = encoder.encode(text);
    const tokens = engine.scoped(() => new Tokenizer(engine, NO_SETTINGS).tokenize(text, { locales }));
    return tokens.map(({ start, end }) => decoder.decode(raw.subarray(start, end)));
  };

  t.test(`${list}: texts are segmented at the lowest cost`, (test) => {
    const seed = Number(process.env.SEED ?? Date.now() % 1_000_000);
    test.comment(`seed ${seed}`);
    const random = seededRandom(seed);
    let cut = 0;
    for (let round = 0; round < 400; round++) {
      const text = wordSalad(random, words, strange, random.int(12));
      const found = pieces(text);
      cut += found.length;
      if (found.join('') !== text) return test.equal(found.join(''), text, 'the pieces are the text');
      const cost = naive.cost(text, found);
      if (cost !== naive.cost(text)) return test.equal(cost, naive.cost(text), JSON.stringify({ round, text, found }));
    }
    test.ok(cut > 2000, 'most texts are cut');
    test.end();
  });

  t.test(`${list}: a text of many windows is segmented like one window`, (test) => {
    const random = seededRandom(5);
    const text = wordSalad(random, words, strange, 1500);
    const found = pieces(text);
    test.equal(found.join(''), text);
    test.equal(naive.cost(text, found), naive.cost(text));
    // one word longer than a window, and a text that ends with one
    for (const long of ['ワ'.repeat(1300), `${words[0]}${'뷁'.repeat(600)}`, '='.repeat(2000) + words[1]]) {
      test.equal(pieces(long).join(''), long);
    }
    test.end();
  });
}
