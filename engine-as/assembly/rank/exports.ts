export { keptForget } from './kept';
export { rank } from './rank';
