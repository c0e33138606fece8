export { KEY_NUMBER } from './document-values';
export { KEY_NONE } from './sort-keys';
