export { keptClear } from './kept';
export { rank } from './rank';
