/** The languages that locales can name: two-letter and three-letter code; position + 1 is the engine's number of the language. */
const PAIRS =
  'af/afr ak/aka am/amh ar/ara az/aze be/bel bn/ben bg/bul ca/cat cs/ces da/dan de/deu el/ell en/eng eo/epo et/est fi/fin fr/fra ' +
  'gu/guj he/heb hi/hin hr/hrv hu/hun hy/hye id/ind it/ita jv/jav ja/jpn kn/kan ka/kat km/khm ko/kor la/lat lv/lav lt/lit ml/mal ' +
  'mr/mar mk/mkd my/mya ne/nep nl/nld nb/nob or/ori pa/pan fa/pes pl/pol pt/por ro/ron ru/rus si/sin sk/slk sl/slv sn/sna es/spa ' +
  'sr/srp sv/swe ta/tam te/tel tl/tgl th/tha tk/tuk tr/tur uk/ukr ur/urd uz/uzb vi/vie yi/yid zh/zho zu/zul /cmn';

const LANGUAGES: readonly { two: string; three: string }[] = PAIRS.split(' ').map((pair) => {
  const [two = '', three = ''] = pair.split('/');
  return { two, three };
});

/** The allowed two-letter codes, in the order of the table. */
export const TWO_LETTER_CODES: readonly string[] = LANGUAGES.map((language) => language.two).filter((code) => code !== '');

/** The allowed three-letter codes, in the order of the table. */
export const THREE_LETTER_CODES: readonly string[] = LANGUAGES.map((language) => language.three);

const numbers = new Map<string, number>();
LANGUAGES.forEach(({ two, three }, position) => {
  if (two !== '') numbers.set(two, position + 1);
  numbers.set(three, position + 1);
});

/** The engine's number of a language (1…255), or 0 for an unknown code. */
export function languageNumber(code: string): number {
  return numbers.get(code) ?? 0;
}

/** The three-letter code of an engine number, or undefined for 0 (no language). */
export function languageCode(number: number): string | undefined {
  return LANGUAGES[number - 1]?.three;
}

/** The three-letter form of a code, or undefined when it is not allowed as a locale. */
export function threeLetterCode(code: string): string | undefined {
  return languageCode(languageNumber(code));
}
