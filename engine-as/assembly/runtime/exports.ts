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
} from './arena';
