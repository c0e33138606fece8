export { keyOrderBegin, keyOrderIndices, keyOrderNext } from './order';
export { columnSortKey, KEY_NONE, sortKeysInto } from './sort-keys';
