export {
  bitmapCombine,
  bitmapCount,
  bitmapFirst,
  SETS_INTERSECT,
  SETS_SUBTRACT,
  SETS_UNITE,
} from './bitmap';
