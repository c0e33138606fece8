export { IMPOSSIBLE, NEAR_COSTS } from './components';
export { docIdsOf } from './projection';
export { ATTRIBUTE_EXACT, ATTRIBUTE_SEARCHED, Source } from './sources';
