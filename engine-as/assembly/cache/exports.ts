export { cacheClear } from './cache';
