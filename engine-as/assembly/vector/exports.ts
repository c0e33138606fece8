export { bestCreate, bestEntries, bestSort } from './best';
export { vectorsInput } from './collect';
export { cosineSimilarity, dotF32 } from './cosine';
export {
  embeddedBitmap,
  embeddedCount,
  embedderAt,
  regenerateBitmap,
  userProvidedBitmap,
  vectorBits,
  vectorCount,
  vectorDimensions,
  vectorOrdinal,
  vectorStart,
  vectorsAreBinary,
  vectorsOf,
  vectorValuesOffset,
} from './layout';
export { ordinalInto, scanBits, scanValues } from './scan';
