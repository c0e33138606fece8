export { geoDistances } from './distance';
