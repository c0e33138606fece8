export { columnCountNumbers, columnCountStrings, TextCount } from './count';
export { keyOrderBegin, keyOrderIndices, keyOrderNext } from './order';
export { columnResembling } from './resemble';
export {
  columnContaining,
  columnSelectNumberSet,
  columnSelectNumbers,
  columnSelectPresence,
  columnSelectStringSet,
  columnSelectStrings,
} from './select';
export { columnSortKey, KEY_NONE, sortKeysInto } from './sort-keys';
export {
  columnNumberCeiling,
  columnNumberFloor,
  columnTextCeiling,
  columnTextFloor,
  columnTextPrefixEnd,
} from './values';
