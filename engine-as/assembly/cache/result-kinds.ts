/** Kinds of cached results: the first part of cache keys. */

/** Results within one search, see {@link memoFind}. In brackets: the owner, then the other parts of the key. */
/** documents of a state of a node (state) */
export const MEMO_DOCUMENTS: u32 = 0;
/** documents whose lowest class is the given one (state, class) */
export const MEMO_LOWEST: u32 = 1;
/** documents of a state without its exact form (state) */
export const MEMO_INEXACT: u32 = 2;
/** documents where two neighbours are near each other, and documents where they are not (cost; both states) */
export const MEMO_NEAR: u32 = 3;
export const MEMO_FAR: u32 = 4;
/** documents of a state by cost (partition; state, cost) */
export const MEMO_COST: u32 = 5;
/** union of the documents of a run (segment; terms) */
export const MEMO_UNION: u32 = 6;
/** terms copied from another memory (segment; terms) */
export const MEMO_TERMS: u32 = 7;
/** word counts of all segments */
export const MEMO_WORD_COUNTS: u32 = 8;
/** occurrences of a state in the documents of a context (context; state, role) */
export const MEMO_OCCURRENCES: u32 = 9;
/** occurrences of an expected word (context; node, place in the phrase) */
export const MEMO_EXPECTED: u32 = 10;
/** components of a state or of two neighbouring states (context; states) */
export const MEMO_PRESENCE: u32 = 11;
export const MEMO_EDGE: u32 = 12;
export const MEMO_ATTRIBUTE: u32 = 13;
export const MEMO_POSITION: u32 = 14;
/** documents where two neighbours are adjacent (both states) */
export const MEMO_ADJACENT: u32 = 15;
/** documents of a run by cost, where the cache has no room for them: by weight (segment; terms), by position (see rank/run-sets; terms) */
export const MEMO_WEIGHTS: u32 = 16;
export const MEMO_POSITIONS: u32 = 17;

/** Results that are cached between searches, see {@link cacheFind}. */
export const CACHED_UNION: u32 = 0;
export const CACHED_WEIGHTS: u32 = 1;
export const CACHED_POSITIONS: u32 = 2;
export const CACHED_PAIR: u32 = 3;
export const CACHED_PHRASE: u32 = 4;
export const CACHED_BEGINNING: u32 = 5;
/** shapes of neighbouring documents */
export const CACHED_SHAPES: u32 = 6;
/** the live documents of segments without deleted ones */
export const CACHED_LIVE: u32 = 7;
