import fs from 'node:fs';
import zlib from 'node:zlib';
import t, { type Test } from 'tap';
import {
  createTokenizer,
  folded,
  foldFacet,
  normalizeOperand,
  putLocales,
  type Token,
  Tokenizer,
  type TokenizerConfig,
} from '../../bindings/engine/tokenizer.js';
import type { WordList } from '../../bindings/engine/word-list-bits.js';
import { completeWordLists, loadWordList, takeMissingWordLists, wordListsFor } from '../../bindings/engine/word-lists.js';
import { loadKernels } from '../../bindings/test/engine.js';
import { type SeededRandom, seededRandom } from '../../bindings/test/random.js';
import { chinese, greedy, readWordList } from './naive-segmenters.js';
import { NaiveTokenizer, type PlainToken } from './naive-tokenizer.js';
import { CHINESE, GERMAN, JAPANESE, KHMER, KOREAN, SPACED, THAI, type TokenCase } from './tokenizer-cases.js';

const engine = loadKernels();
const encoder = new TextEncoder();
/** Room for one token in the stream. */
const LEMMA_BYTES = 24576;

/** The form in which string values of facets are stored. */
const normalizeFacet = (instance: typeof engine, text: string) =>
  folded(instance, text, (at, length, out) => instance.exports.normalizeFacetInto(at, length, out));

const KINDS = ['word', 'stop', 'soft', 'hard'] as const;
const MARKS = { word: '', stop: 'ˣ', soft: 'ˢ', hard: 'ᴴ' };
const NO_SETTINGS: TokenizerConfig = { stopWords: [], separatorTokens: [], nonSeparatorTokens: [], dictionary: [] };

function records(text: string, config: TokenizerConfig, locales: string[], maps = false): Token[] {
  return engine.scoped(() => new Tokenizer(engine, config).tokenize(text, { locales, maps }));
}

/** The tokens of the indexing path, and whether it released its scratch memory. */
function stream(text: string, config: TokenizerConfig, locales: string[]): { tokens: PlainToken[]; reserved: number } {
  return engine.scoped(() => {
    const handle = createTokenizer(engine, config);
    const list = putLocales(engine, locales);
    const { pointer, length } = engine.putText(text);
    const before = engine.exports.arenaMark();
    engine.exports.streamBegin(handle, pointer, length, list);
    const tokens: PlainToken[] = [];
    while (engine.exports.streamNext()) {
      const start = engine.exports.streamStart();
      const lemma = engine.text(engine.exports.streamLemma(), engine.exports.streamLemmaLength());
      tokens.push({ start, end: engine.exports.streamEnd(), lemma, kind: KINDS[engine.exports.streamKind()] ?? 'word' });
    }
    return { tokens, reserved: engine.exports.arenaMark() - before };
  });
}

const differ = (found: unknown, expected: unknown) => JSON.stringify(found) !== JSON.stringify(expected);
/** Names of tests must not contain control characters. */
const ascii = (text: string) => text.replace(/[^ -~]/gu, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`);
const jamo = (text: string) => [...text].map((character) => character.normalize('NFKD')).join('');
const written = ({ lemma, kind }: PlainToken | Token) => (lemma === '' ? '∅' : lemma.replaceAll(' ', '␠')) + MARKS[kind];

function checkCases(test: Test, cases: TokenCase[]) {
  for (const [text, expected, { locales = [], ...settings } = {}] of cases) {
    const tokens = records(text, { ...NO_SETTINGS, ...settings }, locales);
    const wanted = expected.replace(/J\(([^)]*)\)/g, (_, syllables: string) => jamo(syllables));
    test.equal(tokens.map(written).join(' · '), wanted, JSON.stringify(text));
  }
  test.end();
}

t.test('documented examples', (test) => checkCases(test, SPACED));

t.test('the language is detected among the allowed ones', (test) => {
  const cases: [text: string, locales: string[], language: string][] = [
    ['سلام، خوبی', [], 'pes'],
    ['كتاب', [], 'ara'],
    ['البيت الكبير', [], 'ara'],
    ['یہ ایک اردو جملہ ہے اور اس میں کئی الفاظ ہیں', [], 'urd'],
    ['این یک جمله فارسی است که برای آزمایش نوشته شده', [], 'pes'],
    ['این یک جمله فارسی است', ['ara', 'eng'], 'ara'],
    ['سيدة', [], 'ara'],
    ['سيده', [], 'pes'],
    ['اعلي', [], 'pes'],
    ['Apfelbaum', ['deu', 'eng'], 'eng'],
    ['Apfelbaum', ['deu', 'fra'], 'fra'],
    ['Apfelbaum', ['deu', 'swe'], 'deu'],
    ['Kinderbuch', ['deu', 'eng'], 'deu'],
    ['Kinderbuch', ['fra', 'deu'], 'deu'],
    ['Kinderbuch', ['deu', 'swe'], 'deu'],
    ['where do the children go to school', ['deu', 'jpn', 'eng'], 'eng'],
  ];
  for (const [text, locales, language] of cases) {
    test.equal(records(text, NO_SETTINGS, locales)[0]?.language, language, `${text} among ${locales}`);
  }
  test.end();
});

t.test('offsets and maps lead back to the original text', (test) => {
  const token = (text: string, locales: string[] = []) => records(text, NO_SETTINGS, locales, true)[0];
  test.same(token('Crème')?.map && [...(token('Crème')?.map ?? [])], [1, 1, 1, 1, 2, 1, 1, 1, 1, 1]);
  test.same([...(token('cafe\u0301')?.map ?? [])], [1, 1, 1, 1, 1, 1, 1, 1, 2, 0]);
  test.same([...(token('œil')?.map ?? [])], [], 'œ takes two bytes before and after');
  test.same([...(token('한')?.map ?? [])], [3, 9]);
  test.same([...(token('ba\u030Atar', ['swe'])?.map ?? [])], [1, 1, 3, 2, 1, 1, 1, 1, 1, 1], 'letter and mark are one entry');
  test.equal(token('Hello')?.map, undefined, 'same lengths need no map');
  test.same([token('Ŵôřlḑôle')?.start, token('Ŵôřlḑôle')?.end], [0, 14]);
  test.end();
});

t.test('long words without separators are tokenized whole; the stream may truncate them', (test) => {
  const long = `${'Ab'.repeat(40_000)} é${'ﷺ'.repeat(3000)} end`;
  const expected = new NaiveTokenizer(NO_SETTINGS).tokenize(long, ['eng']);
  const tokens = records(long, NO_SETTINGS, ['eng']);
  test.same(
    tokens.map(({ start, end, lemma, kind }) => ({ start, end, lemma, kind })),
    expected.map(({ start, end, lemma, kind }) => ({ start, end, lemma, kind })),
    'records keep all of it',
  );
  const streamed = stream(long, NO_SETTINGS, ['eng']);
  test.equal(streamed.reserved, 0, 'the stream reserves no memory');
  test.same(
    streamed.tokens.map(({ start, end, kind }) => ({ start, end, kind })),
    expected.map(({ start, end, kind }) => ({ start, end, kind })),
  );
  for (const [place, { lemma }] of streamed.tokens.entries()) {
    test.ok(encoder.encode(lemma).length <= LEMMA_BYTES, 'it stays within its buffer');
    test.ok(
      expected[place]?.lemma.startsWith(lemma) && (lemma.length > 250 || lemma === expected[place].lemma),
      'the stream may cut it',
    );
  }
  test.end();
});

const COMMON = [...'aaabcdeEAo  ..,,;!?\'"-_/1230+#&'];
const POOLS: string[][] = [
  COMMON,
  [...'éÉàÇßẞœŒæđĐıİÅåÄäÖöŁøﬁ№™½²¡¿«»°\u00a0\u00ad’‘“”—…≠´¨\u0301\u030a\u0308\u0327'],
  [...'абвЁйЙїЖя'],
  [...'αβΣσςΆώΐ·'],
  [...'ԱբգևՙՕ։ﬓ'],
  [...'ابتةىيكکآأإٱلالالـ\u064e\u0651،؟۱۲٬ﷺﻻ\u200c'],
  [...'אבגדהָ״־'],
  [...'क्षनमस्ते।'],
  [...'ไทยำ๑แ่'],
  [...'漢字的学国真東京中ひらカタガーンヵ・々。、'],
  [...'한국어가ＡＢｃ１，．！：＂ｶﾞ㈱'],
  [...'\u0000\u0001\u0007\u000b\u007f\u0085\u200b\u2011\u037e\u0387😀❤\ufe0f\u200d𝐌𝟙Ⅷ㎏①\u17d4\u179b\u17d4ខ\u2028\u3000'],
];

function randomText(random: SeededRandom, pools: string[][], length: number): string {
  let text = '';
  let pool = random.pick(pools);
  for (let i = 0; i < length; i++) {
    if (random.int(6) === 0) pool = random.pick(pools);
    if (random.int(400) === 0) {
      const point = random.int(0x30000);
      if (point < 0xd800 || point > 0xdfff) text += String.fromCodePoint(point);
    }
    text += random.pick(random.int(4) === 0 ? COMMON : pool);
  }
  return text;
}

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

t.test('facet values are normalised', (test) => {
  test.equal(normalizeFacet(engine, ' \u0085CAFÉ\u00a0'), 'cafe\u0301');
  test.equal(normalizeFacet(engine, 'ﬁn'), 'fin');
  test.equal(normalizeFacet(engine, 'ΟΔΥΣΣΕΥΣ ΤΗΣ Σ ΣΑ'), 'ΟΔΥΣΣΕΥΣ ΤΗΣ Σ ΣΑ'.normalize('NFKD').toLowerCase());
  test.equal(normalizeFacet(engine, 'x'.repeat(500)), 'x'.repeat(468));
  test.equal(normalizeFacet(engine, 'é'.repeat(500)), 'e\u0301'.repeat(156), '468 is a multiple of three');
  test.equal(normalizeFacet(engine, `x${'é'.repeat(500)}`), `x${'e\u0301'.repeat(155)}e`, 'cut between code points');
  test.equal(normalizeOperand(engine, ` ${'É'.repeat(500)} `), 'e\u0301'.repeat(500));
  const random = seededRandom(7);
  for (let round = 0; round < 500; round++) {
    const text = randomText(random, POOLS, random.int(40));
    const decomposed = [...text.replace(/^\p{White_Space}+|\p{White_Space}+$/gu, '')].map((c) => c.normalize('NFKD')).join('');
    const found = normalizeOperand(engine, text);
    if (found !== decomposed.toLowerCase()) return test.equal(found, decomposed.toLowerCase(), ascii(JSON.stringify(text)));
  }
  test.end();
});

t.test('facet search folds the whole value as one word', (test) => {
  test.equal(foldFacet(engine, 'Éclair, Crème!'), 'eclair, creme!');
  test.equal(foldFacet(engine, ' Act '), ' act ');
  test.equal(foldFacet(engine, 'Smørrebrød'), 'smørrebrød');
  test.equal(foldFacet(engine, 'Ångström', ['swe']), 'ångström');
  test.equal(foldFacet(engine, 'ラーメン'), 'らあめん');
  test.end();
});

/** A word list from the repository. */
const wordList = (list: WordList) =>
  zlib.gunzipSync(fs.readFileSync(new URL(`../../../engine-as/data/${list}.words.gz`, import.meta.url)));

t.test('missing word lists are reported until they are loaded', (test) => {
  takeMissingWordLists(engine);
  test.equal(records('ภาษาไทย 我们', NO_SETTINGS, []).length, 3, 'not cut without a list');
  test.same(takeMissingWordLists(engine), ['thai', 'chinese']);
  test.same(takeMissingWordLists(engine), []);
  records('ភ', NO_SETTINGS, []);
  test.notOk(
    completeWordLists(engine, () => null),
    'nothing to be had',
  );
  records('ภាษาไทย', NO_SETTINGS, []);
  test.ok(completeWordLists(engine, wordList), 'loaded: do it again');
  test.notOk(completeWordLists(engine, wordList), 'complete');
  for (const list of ['khmer', 'german', 'chinese', 'japanese', 'korean'] as const) loadWordList(engine, list, wordList(list));
  records('ภาษาไทย 我们 空港の 대한민국의', NO_SETTINGS, []);
  test.same(takeMissingWordLists(engine), []);
  test.throws(() => loadWordList(engine, 'thai', Uint8Array.of(1, 2, 3)), /word list thai/);
  test.throws(() => loadWordList(engine, 'japanese', wordList('thai')), /word list japanese/, 'no costs');
  test.throws(() => loadWordList(engine, 'korean', wordList('japanese').subarray(0, -1)), /word list korean/, 'cut off');
  test.end();
});

t.test('Thai', (test) => checkCases(test, THAI));
t.test('Khmer', (test) => checkCases(test, KHMER));
t.test('German', (test) => checkCases(test, GERMAN));
t.test('Chinese', (test) => checkCases(test, CHINESE));
t.test('Japanese', (test) => checkCases(test, JAPANESE));
t.test('Korean', (test) => checkCases(test, KOREAN));

t.test('the word lists that a JSON text may need are determined', (test) => {
  const needs = (text: string, locales: string[] = []) => wordListsFor(engine, encoder.encode(text), locales);
  const long = 'plain text without anything, '.repeat(20);
  test.same(needs(long), []);
  test.same(needs(`${long}Привет é`), []);
  test.same(needs(`${long}ไ${long}中`), ['thai', 'chinese']);
  test.same(needs(`{"a":"${long}\\u4E2d"}`), ['chinese'], 'escaped');
  test.same(needs('"\\u0E44\\u17a0"'), ['thai', 'khmer']);
  test.same(needs('"\\n\\u00e9\\'), [], 'cut off');
  test.same(needs('ラーメン'), ['japanese']);
  test.same(needs('空港の'), ['chinese', 'japanese']);
  test.same(needs('空港', ['jpn']), ['chinese', 'japanese'], 'ideographs are Japanese by locale');
  test.same(needs('空港', ['eng', 'fra']), ['chinese', 'japanese']);
  for (const locales of [['eng'], ['zh'], ['jpn', 'cmn']]) test.same(needs('空港', locales), ['chinese']);
  test.same(needs('서울 ㄱ'), ['korean']);
  test.same(needs('ＡＢＣ ㈱ ｶﾞﾑ、。'), []);
  test.same(needs('abc', ['eng', 'deu']), ['german']);
  test.end();
});

/** Words of a list and single characters of them, strung together. */
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
