export {
  alloc,
  allocPersistent,
  allocZeroed,
  arenaInit,
  arenaLeft,
  arenaMark,
  arenaReset,
  persistentLeft,
  persistentReset,
  persistentRoom,
} from './arena';
