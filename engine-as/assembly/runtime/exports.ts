export {
  alloc,
  allocPersistent,
  allocZeroed,
  arenaInit,
  arenaMark,
  arenaReset,
  persistentLeft,
  persistentReset,
  persistentRoom,
} from './arena';
