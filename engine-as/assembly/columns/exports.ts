export { columnCountNumbers, columnCountStrings, TextCount } from './count';
export { keyOrderBegin, keyOrderIndices, keyOrderNext } from './order';
export { columnResembling } from './resemble';
export { columnSortKey, KEY_NONE, sortKeysInto } from './sort-keys';
