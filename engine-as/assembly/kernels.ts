/**
 * Functions that only tests call, to compare them with naive implementations. The debug build exports them in addition to those of `index.ts`.
 */
export { typoTerms } from './automata/typos';
export { lzBound, lzCompress, lzDecompress } from './codec/lz';
export { keyOrderBegin, keyOrderIndices, keyOrderNext } from './columns/order';
export { selectSingle } from './columns/ordinal-range';
export { ordinalAt, ordinalSet, ordinalShift } from './columns/ordinals';
export { contextCreate } from './costs/context';
export { spreadCostSet } from './costs/cost-sets';
export { sumsAdd, sumsCreate, sumsLeast } from './costs/cost-sums';
export { edgeCosts, lowerBackward, lowerForward } from './costs/edges';
export { nearWordsCreate, streamSource } from './costs/near-words';
export { readOccurrences } from './costs/occurrences';
export { pairSets } from './costs/pairs';
export { positionSets, weightSets } from './costs/partitions';
export { phraseDocuments } from './costs/phrase-documents';
export { keepNear } from './costs/phrases';
export { setsComponentAdd, setsComponentAddListed, setsComponentCreate } from './costs/sets-component';
export { runsCreate } from './derive/runs';
export { divideRun } from './derive/stored-runs';
export { prefixEnd, prefixStart, termBegin, termCountOf, termFind, termLength } from './dictionary/terms';
export { distance } from './geo/distance';
export { plainDecimal, quantityText } from './json/decimal-text';
export { parseNumber } from './json/number';
export { numberText } from './json/number-text';
export { piecesDecode } from './pieces/decode';
export { edgeChild, edgeHasValue, nodeOfByte, trieClear, trieCreate, trieEdge, trieExtend, trieInsert } from './pieces/trie';
export { postingsBegin, postingsDoc, postingsNext, postingsOrInto, postingsPositionsLength } from './postings/decode';
export { allocMore, allocZeroed } from './runtime/arena';
export { commonBytes, copyText, hashText, sameText } from './runtime/text-bytes';
export {
  bitmapAdd,
  bitmapAnd,
  bitmapAndCount,
  bitmapAndNot,
  bitmapCopy,
  bitmapDifference,
  bitmapHas,
  bitmapIntersect,
  bitmapIsEmpty,
  bitmapKeep,
  bitmapMove,
  bitmapNot,
  bitmapOr,
  bitmapSetRange,
  bitmapSplit,
} from './sets/bitmap';
export { bitmapFirstIn, bitmapSlots, memberReader, readMembers } from './sets/members';
export { cachedDocument, cachedLength, keepDocument } from './store/document-cache';
export { normalizeFacetInto } from './text/facet';
export { streamBegin, streamEnd, streamKind, streamLemma, streamLemmaLength, streamNext, streamStart } from './text/stream';
export { cosineSimilarity, dotF32, normF32 } from './vector/cosine';
export { dotI16I8, largestMagnitude, nibbleTables, sumMagnitudes, sumNibbles, widenI8 } from './vector/kernels';
export { paddedDimensions, rotate } from './vector/rotation';
export { listFresh, walkCandidate, walkCreate, walkInsert } from './vector/walk';
