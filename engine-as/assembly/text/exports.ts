export { foldFacetInto, normalizeFacetInto, normalizeOperandInto } from './facet';
export { wordListsFor } from './needs';
export { tokenize, tokensPointer } from './records';
export {
  countTokens,
  streamBegin,
  streamEnd,
  streamKind,
  streamLanguage,
  streamLemma,
  streamLemmaLength,
  streamNext,
  streamScript,
  streamStart,
} from './stream';
export { tokenizerCreate } from './tokenizer';
export { tokenizerLoadDictionary, tokenizerTakeMissing } from './word-list';
