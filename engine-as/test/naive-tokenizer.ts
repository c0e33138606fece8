import fs from 'node:fs';
import type { TokenizerConfig, TokenKind } from '../../bindings/engine/tokenizer.js';

/** The lists of code points from which the engine's tables are made; the code that uses them is independent. */
interface UnicodeRules {
  SCRIPTS: { name: string; list: [number, number][] }[];
  isSeparator(point: number): boolean;
  isHard(point: number): boolean;
  isMark(character: string): boolean;
  isNumeric(point: number): boolean;
}
const rules = (await import(new URL('../../../engine-as/tools/unicode-rules.mjs', import.meta.url).href)) as UnicodeRules;

/** Chinese character -> its standard form, from the rows of the engine's table. */
const table = fs.readFileSync(new URL('../../../engine-as/assembly/text/variants.ts', import.meta.url), 'utf8');
const points = [...(table.split('([')[1] ?? '').matchAll(/\d+/g)].map(([number]) => Number(number));
const variants = new Map<number, number>();
for (let at = 0; at < points.length; at += 2) variants.set(points[at] ?? 0, points[at + 1] ?? 0);

export interface PlainToken {
  start: number;
  end: number;
  lemma: string;
  kind: TokenKind;
  /** (original bytes, normalised bytes) per code point, where a length changed. */
  map?: number[];
}

const STRINGS = ['. ', ', ', '\u17d4\u179b\u17d4'];
const KANA = ['Hiragana', 'Katakana'];
const LOWER_CASED = ['Latin', 'Cyrillic', 'Greek', 'Georgian', 'Armenian'];
const WITHOUT_MARKS = ['Latin', 'Greek', 'Hebrew', 'Arabic', 'Thai'];

const bytesOf = (text: string) => new TextEncoder().encode(text).length;
const pointOf = (character: string) => character.codePointAt(0) ?? 0;
const scripts = new Map<string, string>();

function scriptOf(character: string): string {
  let script = scripts.get(character);
  if (script === undefined) {
    const point = pointOf(character);
    script = rules.SCRIPTS.find(({ list }) => list.some(([from, to]) => point >= from && point <= to))?.name ?? 'Other';
    scripts.set(character, script);
  }
  return script;
}

const family = (script: string) => (KANA.includes(script) ? 'Han' : script === 'Armenian' ? 'Other' : script);

function groupsOf(text: string): string[] {
  const groups: string[] = [];
  let script = 'Other';
  for (const character of text) {
    const own = family(scriptOf(character));
    if (groups.length === 0 || (own !== 'Other' && script !== 'Other' && own !== script)) groups.push('');
    if (own !== 'Other') script = own;
    groups[groups.length - 1] += character;
  }
  return groups;
}

function countScripts(text: string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const character of text) {
    const script = scriptOf(character);
    if (script !== 'Other') counts.set(script, (counts.get(script) ?? 0) + 1);
  }
  return counts;
}

function mostFrequent(counts: Map<string, number>): string {
  const most = Math.max(0, ...counts.values());
  const best = [...counts].filter(([, count]) => count === most).map(([script]) => script);
  // the first of equals, but Armenian only when it was the first of all
  const armenianFirst = counts.keys().next().value === 'Armenian';
  return best.find((script) => script !== 'Armenian' || armenianFirst) ?? best[0] ?? 'Other';
}

function languageOf(script: string, counts: Map<string, number>, locales: string[]): string | undefined {
  if (!['Latin', 'Han', 'Arabic'].includes(script)) return undefined;
  if (locales.length > 0) return locales[0];
  if (script !== 'Han') return undefined;
  const han = counts.get('Han') ?? 0;
  const kana = KANA.reduce((sum, name) => sum + (counts.get(name) ?? 0), 0);
  return kana / (kana + han) > 0.05 ? 'jpn' : 'cmn';
}

const isControl = (character: string) => /\p{Cc}/u.test(character) && !/\p{White_Space}/u.test(character);
/** Compatibility decomposition without control characters, of each code point. */
const plain = (text: string) =>
  [...text]
    .flatMap((part) => [...part.normalize('NFKD')])
    .filter((part) => !isControl(part))
    .join('');
const PERSIAN: Record<string, string> = { ي: 'ی', ى: 'ی', ك: 'ک', '،': ',', '؟': '?', '\u200c': '' };
const LATIN: Record<string, string> = { '’': "'", '‘': "'", '‛': "'", œ: 'oe', æ: 'ae' };
const LATIN_LAST: Record<string, string> = { đ: 'd', ð: 'd', ı: 'i' };
const ARABIC: Record<string, string> = { ـ: '', أ: 'ا', إ: 'ا', آ: 'ا', ٱ: 'ا', ى: 'ي', ة: 'ه' };

function lossy(character: string, script: string, language: string | undefined): string {
  const each = (text: string, change: (part: string) => string) => [...text].map(change).join('');
  let text = character;
  if (script === 'Arabic' && language === 'pes') {
    text = each(text, (part) => PERSIAN[part] ?? (part >= '۰' && part <= '۹' ? String(pointOf(part) - 0x6f0) : part));
  }
  if (script === 'Han' && (language === undefined || language === 'cmn')) {
    text = each(text, (part) => String.fromCodePoint(variants.get(pointOf(part)) ?? pointOf(part)));
  }
  if (LOWER_CASED.includes(script)) text = each(text, (part) => part.toLowerCase());
  if (script === 'Latin') text = each(text, (part) => LATIN[part] ?? part);
  if (script === 'Arabic') text = each(text, (part) => ARABIC[part] ?? part);
  const keep = script === 'Latin' && language === 'swe' ? 'åäö' : '';
  if (WITHOUT_MARKS.includes(script)) text = each(text, (part) => (rules.isMark(part) && !keep.includes(part) ? '' : part));
  if (script === 'Latin') text = each(text, (part) => LATIN_LAST[part] ?? part);
  return text;
}

function withoutKatakana(lemma: string): string {
  // The vowel of a long vowel mark. In the kana table small letters precede large ones.
  const vowels = new Map<string, string>();
  for (const [row, vowel] of [
    ['ぁあかがさざただなはばぱまゃやらゎわゕ', 'あ'],
    ['ぃいきぎしじちぢにひびぴみりゐ', 'い'],
    ['ぅうくぐすずっつづぬふぶぷむゅゆるゔ', 'う'],
    ['ぇえけげせぜてでねへべぺめれゑゖ', 'え'],
    ['ぉおこごそぞとどのほぼぽもょよろを', 'う'],
  ] as const) {
    for (const kana of row) vowels.set(kana, vowel);
  }
  let previous = '';
  let text = '';
  for (const character of lemma) {
    if (character === 'ー' && previous !== '') text += vowels.get(previous) ?? '';
    else if ('ヵヶ・'.includes(character)) text += character;
    else if (character >= 'ァ' && character <= 'ヺ') {
      previous = String.fromCodePoint(pointOf(character) - 0x60);
      text += previous;
    } else {
      previous = '';
      text += character;
    }
  }
  return text;
}

/** A naive tokenizer: it applies rule after rule, without tables, tries and word lists. */
export class NaiveTokenizer {
  readonly #separators: Set<string>;
  readonly #removed: Set<string>;
  readonly #dictionary: string[];
  readonly #stopWords: Set<string>;

  constructor(config: TokenizerConfig) {
    this.#separators = new Set([...config.separatorTokens, ...STRINGS].filter((entry) => entry !== ''));
    this.#removed = new Set(config.nonSeparatorTokens);
    this.#dictionary = config.dictionary;
    this.#stopWords = new Set(config.stopWords.map((word) => plain(word)));
  }

  #isSeparator(text: string): boolean {
    if (this.#removed.has(text)) return false;
    return this.#separators.has(text) || ([...text].length === 1 && rules.isSeparator(pointOf(text)));
  }

  /** The longest separator or dictionary word at the beginning of a text. */
  #matchIn(text: string): string {
    const first = String.fromCodePoint(pointOf(text));
    const candidates = [first, ...this.#separators].filter((entry) => text.startsWith(entry) && this.#isSeparator(entry));
    candidates.push(...this.#dictionary.filter((word) => text.startsWith(word)));
    if (candidates.length === 0) return '';
    return candidates.reduce((longest, entry) => (bytesOf(entry) > bytesOf(longest) ? entry : longest), '');
  }

  tokenize(text: string, locales: string[] = []): PlainToken[] {
    const tokens: PlainToken[] = [];
    let offset = 0;
    for (const group of groupsOf(text)) {
      const counts = countScripts(group);
      const script = family(mostFrequent(counts)) === 'Other' ? mostFrequent(counts) : family(mostFrequent(counts));
      const language = languageOf(script, counts, locales);
      for (const { part, isMatch } of this.#cut(group)) {
        for (const piece of isMatch ? [part] : segment(part, script, language)) {
          tokens.push(this.#token(piece, offset, script, language));
          offset += bytesOf(piece);
        }
      }
    }
    return tokens;
  }

  #cut(group: string): { part: string; isMatch: boolean }[] {
    const parts: { part: string; isMatch: boolean }[] = [];
    for (let at = 0; at < group.length; ) {
      const match = this.#matchIn(group.slice(at));
      const taken = match === '' ? String.fromCodePoint(group.codePointAt(at) ?? 0) : match;
      const last = parts[parts.length - 1];
      if (match === '' && last !== undefined && !last.isMatch) last.part += taken;
      else parts.push({ part: taken, isMatch: match !== '' });
      at += taken.length;
    }
    return parts;
  }

  #token(piece: string, start: number, script: string, language: string | undefined): PlainToken {
    const decomposed = plain(piece);
    let kind: TokenKind = 'word';
    if (decomposed !== '' && this.#stopWords.has(decomposed)) kind = 'stop';
    else if (this.#isSeparator(decomposed)) {
      const hard = STRINGS.includes(decomposed) || ([...decomposed].length === 1 && rules.isHard(pointOf(decomposed)));
      kind = hard ? 'hard' : 'soft';
    }
    let lemma = '';
    const map: number[] = [];
    for (const unit of unitsOf(piece, script, language)) {
      const folded = [...(swedish(unit, script, language) ?? plain(unit))].map((part) => lossy(part, script, language)).join('');
      lemma += folded;
      map.push(bytesOf(unit), bytesOf(folded));
    }
    if (script === 'Greek') lemma = lemma.replace(/ς$/, 'σ');
    if (script === 'Han' && (language === undefined || language === 'jpn')) lemma = withoutKatakana(lemma);
    const token: PlainToken = { start, end: start + bytesOf(piece), lemma, kind };
    if (map.some((bytes, place) => place % 2 === 0 && bytes !== map[place + 1])) token.map = map;
    return token;
  }
}

/** Code points, but with a Swedish letter and its mark together. */
function unitsOf(piece: string, script: string, language: string | undefined): string[] {
  if (script !== 'Latin' || language !== 'swe') return [...piece];
  const units: string[] = [];
  let last = -1;
  for (const character of piece) {
    const previous = plain(units[last] ?? '').slice(-1);
    const pair = previous + plain(character);
    if (previous !== '' && /^([aA][\u030a\u0308]|[oO]\u0308)/.test(pair)) {
      units[last] += character;
    } else {
      units.push(character);
      if (plain(character) !== '') last = units.length - 1;
    }
  }
  return units;
}

function swedish(unit: string, script: string, language: string | undefined): string | undefined {
  if (script !== 'Latin' || language !== 'swe') return undefined;
  return [...unit]
    .map(plain)
    .join('')
    .replace(/[aA]\u030a|[aA]\u0308|[oO]\u0308/g, (letter) => letter.normalize('NFC'));
}

/** Without their dictionaries Japanese and Korean texts are divided where the class of letters changes. */
function runsOf(part: string, script: string): string[] {
  const runs: string[] = [];
  let last = '';
  for (const character of part) {
    let kind = scriptOf(character);
    if (/[0-9０-９]/.test(character)) kind = 'digit';
    else if (script === 'Hangul' && /[Ａ-Ｚａ-ｚ]/.test(character)) kind = 'letter';
    else if (script === 'Hangul' && /[ｦ-ﾟ]/.test(character)) kind = 'kana';
    else if (kind !== 'Hangul' && kind !== 'Han' && !KANA.includes(kind)) kind = 'Other';
    const continues = script === 'Han' && /[ー\u3099\u309a]/.test(character);
    if (runs.length > 0 && (continues || kind === last)) {
      runs[runs.length - 1] += character;
    } else {
      runs.push(character);
      last = continues ? 'none' : kind;
    }
  }
  return runs;
}

function segment(part: string, script: string, language: string | undefined): string[] {
  const isNumber = [...part].every((character) => rules.isNumeric(pointOf(character)) || /[!-/:-@[-`{-~]/.test(character));
  if (isNumber) return [part];
  if (script === 'Hangul' || (script === 'Han' && language === 'jpn')) return runsOf(part, script);
  if (script !== 'Arabic' || (language !== 'ara' && language !== 'pes')) return [part];
  return bytesOf(part) > 4 && /^[اأإآٱ]ل/.test(part) ? [part.slice(0, 2), part.slice(2)] : [part];
}
