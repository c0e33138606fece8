export { alloc, allocPersistent, allocZeroed, arenaInit, arenaMark, arenaReset } from './arena';
export { scratchPoolInit, UNIT_BYTES } from './scratch-pool';
