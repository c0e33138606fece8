import t from 'tap';
import type { TokenizerConfig } from '../../bindings/engine/tokenizer.js';
import type { WordList } from '../../bindings/engine/word-list-bits.js';
import { loadWordList } from '../../bindings/engine/word-lists.js';
import { type SeededRandom, seededRandom } from '../../bindings/test/random.js';
import { chinese, greedy, readWordList } from './naive-segmenters.js';
import { NaiveTokenizer } from './naive-tokenizer.js';
import { ascii, differ, engine, NO_SETTINGS, POOLS, randomText, records, stream, wordList } from './tokenizer-support.js';

const encoder = new TextEncoder();

function randomConfig(random: SeededRandom, pools: string[][]): TokenizerConfig {
  const list = () => Array.from({ length: random.int(4) }, () => randomText(random, pools, random.int(3)));
  return { stopWords: list(), separatorTokens: list(), nonSeparatorTokens: list(), dictionary: list() };
}

const ARABIC_POOL = 5;

t.test('tokens equal those of a naive tokenizer on random texts', (test) => {
  const seed = Number(process.env.SEED ?? Date.now() % 1_000_000);
  test.comment(`seed ${seed}`);
  const random = seededRandom(seed);
  for (let round = 0; round < 1000; round++) {
    const locales = random.pick([[], [], ['eng'], ['swe'], ['ara'], ['pes'], ['jpn'], ['cmn']]);
    // without a locale the language of Arabic script is guessed, which the naive tokenizer does not do
    const pools = locales.length === 0 ? POOLS.filter((_, place) => place !== ARABIC_POOL) : POOLS;
    const chosen = random.int(3) === 0 ? pools : [random.pick(pools), random.pick(pools)];
    const config = random.int(2) === 0 ? NO_SETTINGS : randomConfig(random, chosen);
    const text = randomText(random, chosen, random.int(60));
    const expected = new NaiveTokenizer(config).tokenize(text, locales);
    const context = ascii(JSON.stringify({ seed, round, text, config, locales }));
    const found = records(text, config, locales, true).map(({ start, end, lemma, kind, map }) => ({
      start,
      end,
      lemma,
      kind,
      ...(map && { map: [...map] }),
    }));
    const streamed = stream(text, config, locales);
    const plain = expected.map(({ start, end, lemma, kind }) => ({ start, end, lemma, kind }));
    if (differ(found, expected)) return test.same(found, expected, `records: ${context}`);
    if (differ(streamed.tokens, plain)) return test.same(streamed.tokens, plain, `stream: ${context}`);
    if (streamed.reserved !== 0) return test.fail(`the stream reserves memory: ${context}`);
  }
  test.pass('all rounds');
  test.end();
});

t.test('every code point of the first planes is folded and divided as by the naive tokenizer', (test) => {
  const naive = new NaiveTokenizer(NO_SETTINGS);
  // a letter in front chooses the script of the group
  for (const front of ['', 'a', 'σ', 'ك']) {
    for (let block = 0; block < 0x20000; block += 0x200) {
      const isUniform = (block >= 0x3600 && block < 0x9e00) || (block >= 0xae00 && block < 0xd600) || block >= 0xd800;
      if (isUniform && front !== '') continue;
      let text = '';
      for (let point = block; point < block + 0x200; point++) {
        if (point < 0xd800 || point > 0xdfff) text += `${front}${String.fromCodePoint(point)}\n`;
      }
      const expected = naive.tokenize(text, ['ara']);
      const found = records(text, NO_SETTINGS, ['ara']);
      const wrong = expected.findIndex(
        ({ lemma, kind, end }, place) => lemma !== found[place]?.lemma || kind !== found[place].kind || end !== found[place].end,
      );
      if (wrong >= 0) return test.same(found[wrong], expected[wrong], `after ${ascii(front)} in block ${block.toString(16)}`);
    }
  }
  test.pass('all blocks');
  test.end();
});

/** Words of a list and single characters of them, concatenated. */
function wordSalad(random: SeededRandom, words: string[], count: number): string {
  const part = () => {
    const word = random.pick(words);
    return random.int(3) === 0 ? [...word].slice(0, 1 + random.int(2)).join('') : word;
  };
  return Array.from({ length: count }, part).join('');
}

/** The pieces of the text that are the tokens. */
const pieces = (text: string, locales: string[]) => {
  const bytes = encoder.encode(text);
  return records(text, NO_SETTINGS, locales).map(({ start, end }) => new TextDecoder().decode(bytes.subarray(start, end)));
};

t.test('words of scripts without spaces equal those of naive segmenters', (test) => {
  const random = seededRandom(11);
  const segmenters: [
    list: WordList,
    locales: string[],
    letters: RegExp,
    cut: (words: Map<string, number>, text: string) => string[],
  ][] = [
    ['thai', [], /^[ก-๎]+$/, (words, text) => greedy(words, text, false)],
    ['khmer', [], /^[ក-៓]+$/, (words, text) => greedy(words, text, false)],
    ['german', ['deu'], /^[a-zäöüß]+$/i, (words, text) => greedy(words, text, true)],
    ['chinese', ['cmn'], /^[㐀-䶵一-鿌]+$/, (words, text) => chinese(words, text)],
  ];
  for (const [list, locales, letters, cut] of segmenters) {
    loadWordList(engine, list, wordList(list));
    const words = readWordList(wordList(list));
    const usable = [...words.keys()].filter((word) => letters.test(word));
    for (let round = 0; round < 40; round++) {
      const text = wordSalad(random, usable, round === 0 ? 400 : 1 + random.int(12));
      const expected = cut(words, text);
      const found = pieces(text, locales);
      if (differ(found, expected)) return test.same(found, expected, `${list}: ${ascii(text)}`);
    }
    test.pass(list);
  }
  test.end();
});
