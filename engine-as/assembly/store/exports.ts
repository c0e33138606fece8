export { readDocument, StoredDocument } from './documents';
