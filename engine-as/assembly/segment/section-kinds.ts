/** Kinds of section: the structures at their beginnings are in layout.ts unless another file is named. */

export const SECTION_DOC_IDS: u32 = 1; // u32[docCount]: local number -> internal id, ascending
export const SECTION_KEYS: u32 = 2; // KeysHeader: primary keys
export const SECTION_TERMS: u32 = 3; // TermsHeader: dictionary
export const SECTION_POSTINGS: u32 = 4;
export const SECTION_WORD_COUNTS: u32 = 5; // WordCountsHeader: words in attributes that have no column in 23
export const SECTION_COLUMN: u32 = 6; // ColumnHeader, one section per field: see columns/layout.ts
export const SECTION_GEO: u32 = 7; // f64[2 * docCount]: lat, lng; NaN without a point
export const SECTION_BLOCKS: u32 = 8; // BlocksHeader: positions of the compressed blocks; absent where there is 24
export const SECTION_DOCUMENTS: u32 = 9; // codes or compressed blocks, not resident
// 10 was the terms of each document
export const SECTION_VECTORS: u32 = 11; // VectorsHeader, one section per embedder: see vector/layout.ts
export const SECTION_VECTOR_VALUES: u32 = 12; // f32 of each vector, one section per embedder, not resident
export const SECTION_LONG_RUNS_13: u32 = 13; // what 19 is now, of the longest runs only, in revisions 1 to 4; not read any more
export const SECTION_DOC_WORDS_24: u32 = 14; // words of each document, in revisions 1 to 3
export const SECTION_FOLLOWERS: u32 = 15; // AdjacentHeader: documents in which words follow frequent ones
export const SECTION_VALUE_DOCUMENTS: u32 = 16; // ValueDocumentsHeader: documents of each value of a column: see columns/layout.ts
export const SECTION_SAMPLES: u32 = 17; // Samples of the dictionary; absent where it is small
export const SECTION_DOC_WORDS: u32 = 18; // DocumentWordsHeader: words of each document
export const SECTION_LONG_RUNS: u32 = 19; // LongRunsHeader: documents of prefixes and terms with many postings
export const SECTION_KEY_FILTER: u32 = 20; // KeyFilter of the dictionary, see dictionary/key-filter; absent where it is small
export const SECTION_DOCUMENT_SAMPLE: u32 = 21; // text that blocks of documents refer to, and LZ_SLACK zeros; in versions 1 and 2
export const SECTION_SPLITS: u32 = 22; // SplitsHeader: terms that are also two neighbouring words, and where
export const SECTION_WORD_COLUMNS: u32 = 23; // WordColumns: words in attributes that many documents have
export const SECTION_PIECES: u32 = 24; // table of pieces of text, see pieces/decode; absent in small segments
export const SECTION_DOCUMENT_STARTS: u32 = 25; // u32[docCount + 1]: where the codes of each document start, in codes
export const SECTION_LETTERS: u32 = 26; // u32[termCount]: letters of each term, see automata/letters; absent where the dictionary is small
export const SECTION_PREDECESSORS: u32 = 27; // AdjacentHeader: documents in which words precede frequent ones
