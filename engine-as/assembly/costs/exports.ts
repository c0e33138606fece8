export { IMPOSSIBLE, NEAR_COSTS, setsComponent } from './components';
export { contextCreate } from './context';
export { spreadCostSet } from './cost-sets';
export { pairSets } from './pairs';
export { positionSets, weightSets } from './partitions';
export { keepNear } from './phrases';
export { docIdsOf } from './projection';
export { ATTRIBUTE_EXACT, ATTRIBUTE_SEARCHED, Source } from './sources';
