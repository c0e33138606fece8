import { languageNumber, THREE_LETTER_CODES, TWO_LETTER_CODES } from '../engine/languages.js';
import { arrayOf } from './request-values.js';
import { type Kind, listed } from './validate.js';

/** The language codes permitted in requests and settings, in the order in which messages list them. */
export const LOCALE_CODES: readonly string[] = [...TWO_LETTER_CODES, ...THREE_LETTER_CODES];

const LISTED = `one of ${listed(LOCALE_CODES)}`;
const LISTED_SORTED = `a list of ${listed([...[...TWO_LETTER_CODES].sort(), ...[...THREE_LETTER_CODES].sort()])}`;

/** A list of language codes, as sent. */
export const LOCALES: Kind<string[]> = arrayOf(
  {
    json: (value, at) => (typeof value === 'string' && languageNumber(value) !== 0 ? value : at.refuse(LISTED, value)),
    text: (text, at) => (languageNumber(text) !== 0 ? text : at.refuse(LISTED_SORTED, text)),
  },
  `an array of language codes, each ${LISTED}`,
);
