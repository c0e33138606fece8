export { checksum32 } from './checksum';
export { lzBound, lzCompress } from './lz';
export { documentsDecode } from './packer';
