export { KEY_NONE } from './sort-keys';
