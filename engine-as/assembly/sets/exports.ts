export {
  bitmapAdd,
  bitmapAnd,
  bitmapAndNot,
  bitmapCopy,
  bitmapCount,
  bitmapFill,
  bitmapFirst,
  bitmapHas,
  bitmapOr,
  bitmapSlots,
} from './bitmap';
