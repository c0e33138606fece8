export { jsonDocumentKey, jsonKeyLength, jsonKeyPointer } from './document-key';
export {
  jsonCompact,
  jsonMemberFirst,
  jsonMemberName,
  jsonMemberNameLength,
  jsonMemberNext,
  jsonMerge,
} from './members';
export { parseNumber } from './number';
export { numberText } from './number-text';
export { jsonDocumentsPointer, jsonError, jsonErrorOffset, jsonScanDocuments, jsonValidate } from './scanner';
