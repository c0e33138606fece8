import fs from 'node:fs';
import zlib from 'node:zlib';
import { createTokenizer, putLocales, type Token, Tokenizer, type TokenizerConfig } from '../../bindings/engine/tokenizer.js';
import type { WordList } from '../../bindings/engine/word-list-bits.js';
import { loadKernels } from '../../bindings/test/engine.js';
import type { SeededRandom } from '../../bindings/test/random.js';
import type { PlainToken } from './naive-tokenizer.js';

export const engine = loadKernels();
const KINDS = ['word', 'stop', 'soft', 'hard'] as const;
const MARKS = { word: '', stop: 'ˣ', soft: 'ˢ', hard: 'ᴴ' };
export const NO_SETTINGS: TokenizerConfig = { stopWords: [], separatorTokens: [], nonSeparatorTokens: [], dictionary: [] };

export function records(text: string, config: TokenizerConfig, locales: string[], maps = false): Token[] {
  return engine.scoped(() => new Tokenizer(engine, config).tokenize(text, { locales, maps }));
}

/** The tokens of the indexing path, and whether it released its scratch memory. */
export function stream(text: string, config: TokenizerConfig, locales: string[]): { tokens: PlainToken[]; reserved: number } {
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

export const differ = (found: unknown, expected: unknown) => JSON.stringify(found) !== JSON.stringify(expected);
/** Names of tests must not contain control characters. */
export const ascii = (text: string) => text.replace(/[^ -~]/gu, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`);
export const jamo = (text: string) => [...text].map((character) => character.normalize('NFKD')).join('');
export const written = ({ lemma, kind }: PlainToken | Token) => (lemma === '' ? '∅' : lemma.replaceAll(' ', '␠')) + MARKS[kind];

const COMMON = [...'aaabcdeEAo  ..,,;!?\'"-_/1230+#&'];
/** Characters by script. */
export const POOLS: string[][] = [
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

export function randomText(random: SeededRandom, pools: string[][], length: number): string {
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

/** A word list from the repository. */
export const wordList = (list: WordList) =>
  zlib.gunzipSync(fs.readFileSync(new URL(`../../../engine-as/data/${list}.words.gz`, import.meta.url)));
