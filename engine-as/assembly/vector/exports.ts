export { Scored } from './best';
export { STATE_REGENERATE, STATE_USER_PROVIDED, vectorsInput, vectorsOldGraph } from './collect';
export { GraphHeader } from './graph';
export {
  BINARY_UNIT,
  embedderAt,
  VECTORS_BINARY,
  VectorsHeader,
  vectorsOf,
  vectorValuesOffset,
} from './layout';
export { nearestVectors, VectorMatches, VectorQuery } from './nearest';
export { ANY_ORDINAL, ordinalInto } from './scan';
