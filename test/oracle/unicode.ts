/** Ranges of code points that the tokenizer's rules name. Written as hex ranges so that they can be read against the documentation. */

type Range = readonly [number, number];

function ranges(text: string): Range[] {
  return text.split(' ').map((part) => {
    const [from, to = from] = part.split('-') as [string, string?];
    return [Number.parseInt(from, 16), Number.parseInt(to as string, 16)];
  });
}

const inside = (list: readonly Range[], point: number): boolean => list.some(([from, to]) => point >= from && point <= to);

/** The script of a code point is the first one whose ranges contain it. */
const SCRIPTS: [string, Range[]][] = Object.entries({
  Latin: '41-5A 61-7A 80-24F 250-2AF 1D00-1DBF 1E00-1EFF 2100-214F 2C60-2C7F A720-A7FF AB30-AB6F',
  Cyrillic: '400-484 487-52F 2DE0-2DFF A640-A69D A69F',
  Arabic: '600-6FF 750-7FF 8A0-8FF FB50-FDFF FE70-FEFF 10E60-10E7F 1EE00-1EEFF',
  Devanagari: '900-97F A8E0-A8FF 1CD0-1CFF',
  Hebrew: '590-5FF',
  Ethiopic: '1200-139F 2D80-2DDF AB00-AB2F',
  Georgian: '10A0-10FF',
  Bengali: '980-9FF',
  Hangul: 'AC00-D7AF 1100-11FF 3130-318F 3200-32FF A960-A97F D7B0-D7FF FF00-FFEF',
  Cj: '2E80-2E99 2E9B-2EF3 2F00-2FD5 3005 3007 3021-3029 3038-303B 3400-4DB5 4E00-9FCC F900-FA6D FA70-FAD9 3040-309F 30A0-30FF',
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
}).map(([name, text]) => [name, ranges(text)]);

const knownScripts = new Map<number, string>();

/** Script of a code point; `Other` for digits, punctuation, blanks and everything not listed. */
export function scriptOf(point: number): string {
  let script = knownScripts.get(point);
  if (script === undefined) {
    script = SCRIPTS.find(([, list]) => inside(list, point))?.[0] ?? 'Other';
    knownScripts.set(point, script);
  }
  return script;
}

const ARMENIAN = ranges('530-58F FB13-FB17');
export const isArmenian = (point: number): boolean => inside(ARMENIAN, point);

const PUNCTUATION_THAT_JOINS = ranges(
  '37E 387 61D 66B 66C F0C 1B4E 1B4F 1B7D-1B7F 2011 2329 232A 2E53-2E5D 10D6E 10ED0 10F86-10F89 113D4 113D5 113D7 113D8 116B9 11B00-11B09 11BE1 11F43-11F4F 12FF1 12FF2 16D6D-16D6F 1E5FF',
);
const SEPARATING_SYMBOLS = ranges('0 9 A D 20 2B 60 B1 D7 F7 1680 2002-200A 200C 2029 2212-2225 2227-228D 228F-22FF 3000');
const HARD_POINTS = ranges(
  '0 21 3B 3F A1 A7 B6 BF 55C-55E 589 5C3 60C 61B 61F 6D4 700-709 7F7-7F9 830-835 838-83E 85E 964 965 DF4 E5A E5B F04-F0A F0D-F12 F14 FD0-FD4 104A 104B 10FB 1362-1368 169B 169C 16EB-16ED 1735 1736 17D4-17D6 17D8 17DA 1800-1806 1808 1809 1944 1945 1A1F 1AA8-1AAD 1B5A-1B60 1BFC-1BFF 1C3B-1C3F 1C7E 1C7F 1CC0-1CC7 2024-2026 203B-203D 2047-2049 204F 2056 205A 2CF9-2CFC 2CFE 2E18 2E2E 2E41 3001 3002 A4FE A4FF A60D-A60F A6F2-A6F7 A876 A877 A8CE A8CF A92F A95F A9C3-A9CD AA5C-AA5F AADF AAF0 AAF1 ABEB FE10-FE16 FE19 FE30 FE45 FE50-FE52 FE54-FE57 FF01 FF0C FF0E FF1A FF1B FF1F FF61 FF64 10857 10A50-10A58 10AF0-10AF5 10B3A-10B3F 10B99-10B9C 10F55-10F59 11047-1104D 110BE-110C1 11140-11143 11175 111C5 111C6 111CD 111DE 111DF 11238 11239 1123B 1123C 112A9 1144B-1144D 1145A 115C2 115C3 115C9-115D7 11641 11642 11660-1166C 1173C-1173E 11944 11946 11A3F-11A46 11A9A-11A9C 11A9E-11AA2 11C41 11C42 11C70 11C71 11EF7 11EF8 11FFF 12471-12474 16A6E 16A6F 16AF5 16B37-16B39 16B44 16E97-16E9A 1BC9F 1DA87-1DA8A 1E95E 1E95F',
);
const HARD_SEQUENCES = ['. ', ', ', '\u17D4\u179B\u17D4'];
const LAST_SEPARATOR = 0x1ffff;

/** What cuts text when the settings say nothing. */
export const DEFAULT_SEPARATORS: ReadonlySet<string> = (() => {
  const found = new Set(HARD_SEQUENCES);
  for (let point = 0; point <= LAST_SEPARATOR; point++) {
    if (point >= 0xd800 && point < 0xe000) continue;
    const text = String.fromCodePoint(point);
    const separates = /\p{P}/u.test(text) ? !inside(PUNCTUATION_THAT_JOINS, point) : inside(SEPARATING_SYMBOLS, point);
    if (separates) found.add(text);
  }
  return found;
})();

/** Is a separator (decomposed) one that puts words far apart? */
export function isHard(separator: string): boolean {
  if (HARD_SEQUENCES.includes(separator)) return true;
  return [...separator].length === 1 && inside(HARD_POINTS, separator.codePointAt(0) as number);
}

/** Nonspacing marks that came after Unicode 6.3: they are kept. */
const LATER_MARKS = ranges(
  '7FD 897-89F 8CA-8E1 8E3 8FF 9FE AFA-AFF B55 C00 C04 C3C C81 D00 D01 D3B D3C D81 EBA ECE 180F 1885 1886 1A1B 1AB0-1ABD 1ABF-1ADD 1AE0-1AEB 1BAC 1BAD 1CF8 1CF9 1DE7-1DFB A69E A82C A8C5 A8FF A9BD A9E5 AA7C FE27-FE2F',
);

export function isRemovedMark(char: string): boolean {
  const point = char.codePointAt(0) as number;
  if (point === 0x93e || point === 0x1734) return true;
  return point < 0x10000 && /\p{Mn}/u.test(char) && !inside(LATER_MARKS, point);
}
