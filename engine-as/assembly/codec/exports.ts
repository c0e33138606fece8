export { checksum32 } from './checksum';
export { LZ_SLACK } from './lz';
