export { termFind, termIsLive } from './terms';
