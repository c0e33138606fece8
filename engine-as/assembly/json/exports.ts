export { jsonCompact, jsonMemberNames, MemberNames } from './members';
export { FIELD_LIMIT } from './paths';
export {
  ERROR_ARRAY,
  ERROR_COLON,
  ERROR_CONTROL,
  ERROR_DEPTH,
  ERROR_END,
  ERROR_ESCAPE,
  ERROR_NAME,
  ERROR_NOT_OBJECT,
  ERROR_NUMBER,
  ERROR_OBJECT,
  ERROR_RANGE,
  ERROR_SURROGATE,
  ERROR_TRAILING,
  ERROR_UTF8,
  ERROR_VALUE,
} from './scan-value';
export { DOCUMENTS_JSON, DOCUMENTS_NDJSON, JsonScan, jsonScan, SCAN_START } from './scanner';
