/*
 * Values of a facet among candidates.
 *
 *   plan            the request from the host, and the result
 *   values          values with their counts; segment-values counts those of one segment: numbers, texts
 *   search          the texts that match a facet search
 *   count           the values of all segments; merge combines them, pack transfers them between memories
 *   write           JSON
 */
export {
  FACET_BY_COUNT,
  FACET_BY_FOLDED,
  FACET_BY_TEXT,
  FacetField,
  FacetSearch,
  FacetsPlan,
  WrittenFacets,
} from './plan';
export { writeFacets } from './write';
