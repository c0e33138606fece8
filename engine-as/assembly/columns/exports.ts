export { columnCountNumbers, columnCountStrings } from './count';
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
export { columnSortKey, sortKeysInto } from './sort-keys';
export {
  columnNumberCeiling,
  columnNumberFloor,
  columnTextCeiling,
  columnTextFloor,
  columnTextPrefixEnd,
} from './values';
