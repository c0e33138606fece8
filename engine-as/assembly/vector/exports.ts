export { bestCreate, bestEntries, bestSort, Scored } from './best';
export { STATE_REGENERATE, STATE_USER_PROVIDED, vectorsInput, vectorsOldGraph } from './collect';
export { cosineSimilarity, dotF32 } from './cosine';
export { GraphHeader } from './graph';
export { dotI16I8, largestMagnitude, planeDot, splitPlanes, sumMagnitudes, widenI8 } from './kernels';
export {
  embeddedBitmap,
  embeddedCount,
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
export { paddedDimensions, rotate } from './rotation';
export { ANY_ORDINAL, ordinalInto, scanBits, scanValues } from './scan';
export { searchCreate, searchDocuments, searchExplore, searchFinish, searchScan } from './search';
