/** Properties of code points for the tokenizer, as ranges. generate-tables.mjs converts them to tables of the engine. */

/** Hexadecimal code points and ranges, separated by blanks. */
export function ranges(text) {
  return text
    .trim()
    .split(/\s+/)
    .map((range) => {
      const [from, to = from] = range.split('-');
      return [Number.parseInt(from, 16), Number.parseInt(to, 16)];
    });
}

export const inRanges = (point, list) => list.some(([from, to]) => point >= from && point <= to);

/** Scripts in order of precedence: the first row with a code point wins; the position + 1 is the engine's number, 0 is Other. */
export const SCRIPTS = Object.entries({
  Latin: '41-5A 61-7A 80-24F 250-2AF 1D00-1DBF 1E00-1EFF 2100-214F 2C60-2C7F A720-A7FF AB30-AB6F',
  Cyrillic: '400-484 487-52F 2DE0-2DFF A640-A69D A69F',
  Arabic: '600-6FF 750-7FF 8A0-8FF FB50-FDFF FE70-FEFF 10E60-10E7F 1EE00-1EEFF',
  Devanagari: '900-97F A8E0-A8FF 1CD0-1CFF',
  Hebrew: '590-5FF',
  Ethiopic: '1200-139F 2D80-2DDF AB00-AB2F',
  Georgian: '10A0-10FF',
  Bengali: '980-9FF',
  Hangul: 'AC00-D7AF 1100-11FF 3130-318F 3200-32FF A960-A97F D7B0-D7FF FF00-FFEF',
  Han: '2E80-2E99 2E9B-2EF3 2F00-2FD5 3005 3007 3021-3029 3038-303B 3400-4DB5 4E00-9FCC F900-FA6D FA70-FAD9',
  Hiragana: '3040-309F',
  Katakana: '30A0-30FF',
  Greek: '370-3FF',
  Kannada: 'C80-CFF',
  Tamil: 'B80-BFF',
  Thai: 'E00-E7F',
  Gujarati: 'A80-AFF',
  Gurmukhi: 'A00-A7F',
  Telugu: 'C00-C7F',
  Malayalam: 'D00-D7F',
  Oriya: 'B00-B7F',
  Myanmar: '1000-109F',
  Sinhala: 'D80-DFF',
  Khmer: '1780-17FF 19E0-19FF',
  // Armenian never starts a group of its own, but it counts when the script of a group is chosen
  Armenian: '530-58F FB13-FB17',
}).map(([name, text]) => ({ name, list: ranges(text) }));

/** Punctuation that is no separator: added to Unicode after the set of separators was fixed, or used within words. */
const NOT_SEPARATORS = ranges(
  '37E 387 61D 66B 66C F0C 1B4E 1B4F 1B7D-1B7F 2011 2329 232A 2E53-2E5D 10D6E 10ED0 10F86-10F89 113D4 113D5 113D7 113D8 116B9 ' +
    '11B00-11B09 11BE1 11F43-11F4F 12FF1 12FF2 16D6D-16D6F 1E5FF',
);
/** Separators that are not punctuation: spaces, mathematical operators, NUL. */
const MORE_SEPARATORS = ranges('0 9 A D 20 2B 60 B1 D7 F7 1680 2002-200A 200C 2029 2212-2225 2227-228D 228F-22FF 3000');

/** Signs that end a sentence or a clause. */
const HARD = ranges(
  '0 21 3B 3F A1 A7 B6 BF 55C-55E 589 5C3 60C 61B 61F 6D4 700-709 7F7-7F9 830-835 838-83E 85E 964 965 DF4 E5A E5B F04-F0A F0D-F12 ' +
    'F14 FD0-FD4 104A 104B 10FB 1362-1368 169B 169C 16EB-16ED 1735 1736 17D4-17D6 17D8 17DA 1800-1806 1808 1809 1944 1945 1A1F ' +
    '1AA8-1AAD 1B5A-1B60 1BFC-1BFF 1C3B-1C3F 1C7E 1C7F 1CC0-1CC7 2024-2026 203B-203D 2047-2049 204F 2056 205A 2CF9-2CFC 2CFE ' +
    '2E18 2E2E 2E41 3001 3002 A4FE A4FF A60D-A60F A6F2-A6F7 A876 A877 A8CE A8CF A92F A95F A9C3-A9CD AA5C-AA5F AADF AAF0 AAF1 ' +
    'ABEB FE10-FE16 FE19 FE30 FE45 FE50-FE52 FE54-FE57 FF01 FF0C FF0E FF1A FF1B FF1F FF61 FF64 10857 10A50-10A58 10AF0-10AF5 ' +
    '10B3A-10B3F 10B99-10B9C 10F55-10F59 11047-1104D 110BE-110C1 11140-11143 11175 111C5 111C6 111CD 111DE 111DF 11238 11239 ' +
    '1123B 1123C 112A9 1144B-1144D 1145A 115C2 115C3 115C9-115D7 11641 11642 11660-1166C 1173C-1173E 11944 11946 11A3F-11A46 ' +
    '11A9A-11A9C 11A9E-11AA2 11C41 11C42 11C70 11C71 11EF7 11EF8 11FFF 12471-12474 16A6E 16A6F 16AF5 16B37-16B39 16B44 ' +
    '16E97-16E9A 1BC9F 1DA87-1DA8A 1E95E 1E95F',
);

const isSurrogate = (point) => point >= 0xd800 && point <= 0xdfff;

export function isSeparator(point) {
  if (isSurrogate(point)) return false;
  if (/\p{P}/u.test(String.fromCodePoint(point))) return !inRanges(point, NOT_SEPARATORS);
  return inRanges(point, MORE_SEPARATORS);
}

export const isHard = (point) => inRanges(point, HARD);

/** Nonspacing marks that came after Unicode 6.3 stay in the text. */
const LATER_MARKS = ranges(
  '7FD 897-89F 8CA-8E1 8E3 8FF 9FE AFA-AFF B55 C00 C04 C3C C81 D00 D01 D3B D3C D81 EBA ECE 180F 1885 1886 1A1B 1AB0-1ABD 1ABF-1ADD ' +
    '1AE0-1AEB 1BAC 1BAD 1CF8 1CF9 1DE7-1DFB A69E A82C A8C5 A8FF A9BD A9E5 AA7C FE27-FE2F',
);

export function isMark(character) {
  const point = character.codePointAt(0);
  if (point === 0x93e || point === 0x1734) return true;
  return point < 0x10000 && /\p{Mn}/u.test(character) && !inRanges(point, LATER_MARKS);
}

const isBlank = (character) => /\p{White_Space}/u.test(character);
const isRemovedControl = (character) => /\p{Cc}/u.test(character) && !isBlank(character);

/** Compatibility decomposition of one code point. */
const decomposed = (point) => (isSurrogate(point) ? [] : [...String.fromCodePoint(point).normalize('NFKD')]);

const LATIN = new Map([
  ['’', "'"],
  ['‘', "'"],
  ['‛', "'"],
  ['œ', 'oe'],
  ['æ', 'ae'],
]);
const LATIN_LAST = new Map([
  ['đ', 'd'],
  ['ð', 'd'],
  ['ı', 'i'],
]);
const ARABIC = new Map([
  ['ـ', ''],
  ['أ', 'ا'],
  ['إ', 'ا'],
  ['آ', 'ا'],
  ['ٱ', 'ا'],
  ['ى', 'ي'],
  ['ة', 'ه'],
]);

/** One step applied to each character of a list. */
const mapped = (characters, change) => characters.flatMap((character) => [...change(character)]);
const lower = (characters) => mapped(characters, (character) => character.toLowerCase());
const replaced = (characters, table) => mapped(characters, (character) => table.get(character) ?? character);
const withoutMarks = (characters) => characters.filter((character) => !isMark(character));
const plain = (point) => decomposed(point).filter((character) => !isRemovedControl(character));

/** What one code point becomes, per way of folding; the position is the engine's number of the fold. */
export const FOLDS = Object.entries({
  PLAIN: plain,
  LATIN: (point) => replaced(withoutMarks(replaced(lower(plain(point)), LATIN)), LATIN_LAST),
  LOWER: (point) => lower(plain(point)),
  GREEK: (point) => withoutMarks(lower(plain(point))),
  MARKS: (point) => withoutMarks(plain(point)),
  ARABIC: (point) => withoutMarks(replaced(plain(point), ARABIC)),
  // values of facets and filters keep accents and control characters
  FACET: (point) => lower(decomposed(point)),
  // composed letters tell languages apart
  CASE: (point) => (isSurrogate(point) ? [] : lower([String.fromCodePoint(point)])),
}).map(([name, fold]) => ({ name, fold: (point) => fold(point).join('') }));

/** The fold that each script uses; scripts not named use PLAIN. */
export const FOLD_OF_SCRIPT = {
  Latin: 'LATIN',
  Cyrillic: 'LOWER',
  Georgian: 'LOWER',
  Armenian: 'LOWER',
  Greek: 'GREEK',
  Hebrew: 'MARKS',
  Thai: 'MARKS',
  Arabic: 'ARABIC',
};

export const isNumeric = (point) => !isSurrogate(point) && /\p{N}/u.test(String.fromCodePoint(point));
export const isCased = (point) => !isSurrogate(point) && /\p{Cased}/u.test(String.fromCodePoint(point));
export const isCaseIgnorable = (point) => !isSurrogate(point) && /\p{Case_Ignorable}/u.test(String.fromCodePoint(point));
