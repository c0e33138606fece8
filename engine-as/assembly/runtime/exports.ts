export { alloc, allocPersistent, arenaInit, arenaMark, arenaReset, InstanceBounds } from './arena';
export { UNIT_BYTES } from './scratch-pool';
