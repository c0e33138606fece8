export { checksum32 } from './checksum';
export { LZ_TABLE_BYTES, lzBound, lzCompress } from './lz';
export { documentsDecode } from './packer';
