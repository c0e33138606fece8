export {
  bitmapAnd,
  bitmapAndNot,
  bitmapCount,
  bitmapFirst,
  bitmapOr,
} from './bitmap';
