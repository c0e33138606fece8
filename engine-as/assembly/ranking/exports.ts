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
export { exactAttribute } from './exactness';
export { materializeRun, runPostings } from './materialized';
export { pairCosts, runCosts, spreadPairCosts, spreadRunCosts } from './partitions';
export { phraseKeep } from './phrases';
export { docIdsOf, termsExtent, viewOfTerms, viewOfWordCounts, wordCountEntriesOf, wordCountStartsOf } from './projection';
export { sourcesOrInto } from './sources';
