export { VectorTarget } from '../plan/vector-target';
export { AddedVectors, OldGraph, STATE_REGENERATE, STATE_USER_PROVIDED } from './collect';
export { GraphHeader } from './graph';
export {
  BINARY_UNIT,
  VECTORS_BINARY,
  VectorsHeader,
} from './layout';
export { Neighbour, Neighbours, nearestDocuments } from './neighbours';
export { ANY_ORDINAL } from './scan';
