export {
  bitmapAdd,
  bitmapAnd,
  bitmapAndNot,
  bitmapCopy,
  bitmapCount,
  bitmapFirst,
  bitmapHas,
  bitmapOr,
  bitmapSlots,
} from './bitmap';
