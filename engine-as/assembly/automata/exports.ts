export { TypoTerms } from './typos';
