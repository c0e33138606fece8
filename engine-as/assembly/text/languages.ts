/** Numbers of the languages that affect tokenization. The host uses the same numbers. */
export const LANGUAGE_NONE: u32 = 0;
export const LANGUAGE_ARA: u32 = 4;
export const LANGUAGE_DEU: u32 = 12;
export const LANGUAGE_JPN: u32 = 28;
export const LANGUAGE_PES: u32 = 45;
export const LANGUAGE_SWE: u32 = 56;
export const LANGUAGE_ZHO: u32 = 68;
export const LANGUAGE_CMN: u32 = 70;

/** A list of locales: u8 count, then a u8 language number each. A null pointer or an empty list allows every language. */
export function localeCount(locales: usize): u32 {
  return locales === 0 ? 0 : <u32>load<u8>(locales);
}

export function localeAt(locales: usize, position: u32): u32 {
  return <u32>load<u8>(locales + 1 + position);
}

export function hasLocale(locales: usize, language: u32): bool {
  const count = localeCount(locales);
  for (let i: u32 = 0; i < count; i++) {
    if (localeAt(locales, i) === language) return true;
  }
  return false;
}
