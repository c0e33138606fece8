export { KEY_NUMBER } from './document-values';
export { ColumnHeader } from './layout';
export { KEY_NONE } from './sort-keys';
