import { hasLocale, LANGUAGE_ARA, LANGUAGE_NONE, LANGUAGE_PES, LANGUAGE_URD, localeCount } from './languages';

/** The language of a text in Arabic script among those the locales allow. */
export function detectArabic(_start: usize, _end: usize, locales: usize): u32 {
  if (localeCount(locales) === 0 || hasLocale(locales, LANGUAGE_ARA)) return LANGUAGE_ARA;
  if (hasLocale(locales, LANGUAGE_URD)) return LANGUAGE_URD;
  return hasLocale(locales, LANGUAGE_PES) ? LANGUAGE_PES : LANGUAGE_NONE;
}

/** The language of a text in Latin script among at least two locales. */
export function detectLatin(_start: usize, _end: usize, _locales: usize): u32 {
  return LANGUAGE_NONE;
}
