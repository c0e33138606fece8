export { documentsDecode } from './packer';
