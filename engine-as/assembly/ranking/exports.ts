export {
  attributeComponent,
  combineComponents,
  costBucket,
  edgeComponent,
  leastCost,
  positionComponent,
  presenceComponent,
} from './components';
export { contextCreate, contextIndices, occurrencesOf } from './context';
export { spreadCostSet } from './cost-sets';
export { exactAttribute } from './exactness';
export { materializeRun, runPostings } from './materialized';
export { pairSets, positionSets, weightSets } from './partitions';
export { phraseKeep } from './phrases';
export { docIdsOf, termsExtent, viewOfTerms, viewOfWordCounts, wordCountEntriesOf, wordCountStartsOf } from './projection';
export { sourcesOrInto } from './sources';
