export { rank } from './rank';
