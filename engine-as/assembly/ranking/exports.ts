export {
  attributeComponent,
  combineComponents,
  costBucket,
  edgeComponent,
  leastCost,
  positionComponent,
  presenceComponent,
  setsComponent,
} from './components';
export { contextCreate, contextIndices } from './context';
export { keepCostSets, spreadCostSet } from './cost-sets';
export { exactAttribute } from './exactness';
export { occurrencesOf } from './occurrences';
export { pairSets } from './pairs';
export { positionSets, weightSets } from './partitions';
export { keepNear } from './phrases';
export { docIdsOf, termsExtent, viewOfTerms, viewOfWordCounts, wordCountEntriesOf, wordCountStartsOf } from './projection';
export { runPostings, sourcesOrInto } from './sources';
