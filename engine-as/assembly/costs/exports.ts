export { IMPOSSIBLE } from './components';
export { NEAR_COSTS } from './edges';
export { ATTRIBUTE_EXACT, ATTRIBUTE_SEARCHED, Source } from './sources';
