export {
  alloc,
  allocMore,
  allocPersistent,
  allocZeroed,
  arenaInit,
  arenaMark,
  arenaReset,
  persistentLeft,
  persistentReset,
  persistentRoom,
} from './arena';
export { scratchPoolInit, UNIT_BYTES } from './scratch-pool';
