export { checksum32 } from './checksum';
export { readDocument, StoredDocument } from './documents';
export { LZ_SLACK } from './lz';
