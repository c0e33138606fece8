export { DocumentKeys, jsonDocumentKeys, KEY_MISSING, KEY_OK } from './document-key';
export { RESERVED_POINT, RESERVED_SHAPE, RESERVED_VECTORS } from './reserved';
