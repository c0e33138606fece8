export { FACET_BY_COUNT, FACET_BY_FOLDED, FACET_BY_VALUE, facetMerge } from './merge';
export { FacetBlock, facetPack, facetUnpack } from './pack';
export { FacetSearch } from './search';
export { FacetDemand, FacetNumber, FacetText, FacetValues, facetValuesOf } from './values';
