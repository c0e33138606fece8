export { bitmapCombine, bitmapCount, SETS_INTERSECT, SETS_SUBTRACT, SETS_UNITE } from './bitmap';
export { bitmapFirst } from './members';
