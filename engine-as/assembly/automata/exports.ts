export { TypoTerms, typoTerms } from './typos';
