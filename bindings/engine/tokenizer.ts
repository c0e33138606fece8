import { languageNumber } from './languages.js';

/** What an index's settings say about cutting text into words. Entries are taken verbatim. */
export interface TokenizerConfig {
  stopWords: string[];
  separatorTokens: string[];
  nonSeparatorTokens: string[];
  dictionary: string[];
}

const encoder = new TextEncoder();

/** The bytes that the engine's `tokenizerCreate` reads: four counts (u32), then every string as (u32 length, UTF-8). */
export function encodeTokenizerConfig(config: TokenizerConfig): Uint8Array {
  const lists = [config.stopWords, config.separatorTokens, config.nonSeparatorTokens, config.dictionary];
  const strings = lists.flat().map((text) => encoder.encode(text));
  const bytes = new Uint8Array(16 + strings.reduce((sum, text) => sum + 4 + text.length, 0));
  const view = new DataView(bytes.buffer);
  lists.forEach((list, position) => {
    view.setUint32(position * 4, list.length, true);
  });
  let at = 16;
  for (const text of strings) {
    view.setUint32(at, text.length, true);
    bytes.set(text, at + 4);
    at += 4 + text.length;
  }
  return bytes;
}

/** A list of locales (two- or three-letter codes) as the engine takes it: u8 count, then one u8 language number each. Unknown codes are left out. */
export function encodeLocales(locales: readonly string[]): Uint8Array {
  const languages = [...new Set(locales.map(languageNumber))].filter((language) => language !== 0);
  return Uint8Array.of(languages.length, ...languages);
}
