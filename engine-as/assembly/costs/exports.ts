export { IMPOSSIBLE, NEAR_COSTS } from './components';
export { ATTRIBUTE_EXACT, ATTRIBUTE_SEARCHED, Source } from './sources';
