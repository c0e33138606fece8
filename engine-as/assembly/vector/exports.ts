export { bestCreate, bestEntries, bestSort, Scored } from './best';
export { STATE_REGENERATE, STATE_USER_PROVIDED, vectorsInput, vectorsOldGraph } from './collect';
export { GraphHeader } from './graph';
export {
  embeddedBitmap,
  embedderAt,
  graphOf,
  regenerateBitmap,
  userProvidedBitmap,
  VECTORS_BINARY,
  vectorBits,
  vectorCount,
  vectorDimensions,
  vectorOrdinal,
  vectorStart,
  vectorsAreBinary,
  vectorsOf,
  vectorValuesOffset,
} from './layout';
export { ANY_ORDINAL, ordinalInto, scanBits, scanValues } from './scan';
export { searchCreate, searchDocuments, searchExplore, searchFinish, searchScan } from './search';
