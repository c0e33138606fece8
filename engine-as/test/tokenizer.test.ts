import t, { type Test } from 'tap';
import { folded, foldFacet, normalizeOperand } from '../../bindings/engine/tokenizer.js';
import { completeWordLists, loadWordList, takeMissingWordLists, wordListsFor } from '../../bindings/engine/word-lists.js';
import { seededRandom } from '../../bindings/test/random.js';
import { NaiveTokenizer } from './naive-tokenizer.js';
import { CHINESE, GERMAN, JAPANESE, KHMER, KOREAN, SPACED, THAI, type TokenCase } from './tokenizer-cases.js';
import { ascii, engine, jamo, NO_SETTINGS, POOLS, randomText, records, stream, wordList, written } from './tokenizer-support.js';

const encoder = new TextEncoder();
/** Room for one token in the stream. */
const LEMMA_BYTES = 24576;

/** The form in which string values of facets are stored. */
const normalizeFacet = (instance: typeof engine, text: string) =>
  folded(instance, text, (at, length, out) => instance.exports.normalizeFacetInto(at, length, out));

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
