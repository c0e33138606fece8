export {
  attributeComponent,
  combineComponents,
  costBucket,
  edgeComponent,
  IMPOSSIBLE,
  leastCost,
  NEAR_COSTS,
  positionComponent,
  presenceComponent,
  setsComponent,
} from './components';
export { contextCreate, contextIndices } from './context';
export { keepCostSets, spreadCostSet } from './cost-sets';
export { ExpectedWord, exactAttribute, SlotRange } from './exactness';
export { occurrencesOf } from './occurrences';
export { pairSets } from './pairs';
export { positionSets, weightSets } from './partitions';
export { keepNear } from './phrases';
export {
  docIdsOf,
  TermsExtent,
  termsExtent,
  viewOfTerms,
  viewOfWordCounts,
  wordCountEntriesOf,
  wordCountStartsOf,
} from './projection';
export { ATTRIBUTE_EXACT, ATTRIBUTE_SEARCHED, runPostings, Source, sourcesOrInto } from './sources';
