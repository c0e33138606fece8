export { Scored } from './best';
export { AddedVectors, OldGraph, STATE_REGENERATE, STATE_USER_PROVIDED } from './collect';
export { GraphHeader } from './graph';
export {
  BINARY_UNIT,
  VECTORS_BINARY,
  VectorsHeader,
} from './layout';
export { nearestVectors, VectorMatches, VectorQuery } from './nearest';
export { ANY_ORDINAL } from './scan';
