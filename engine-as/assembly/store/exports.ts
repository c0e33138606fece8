export { checksum32 } from './checksum';
export { documentsDecode } from './packer';
