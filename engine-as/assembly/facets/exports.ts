/*
 * Values of a facet among candidates.
 *
 *   plan            what the host asks, and the answer
 *   values          the values of one segment: numbers, texts
 *   search          which texts a facet search looks for
 *   count           those of all segments: merge; pack carries them from one memory to another
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
export { writeFacetHits, writeFacets } from './write';
