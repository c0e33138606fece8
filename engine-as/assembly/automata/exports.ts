export { typoTerms } from './typos';
