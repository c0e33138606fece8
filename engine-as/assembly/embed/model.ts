/** A static embedding model in memory. */

/**
 * Byte pair encoding of words including the blanks before them: a blank stands for the mark of such tokenizers, and one more is
 * put before the text.
 */
export const CUTS_AT_BLANKS: u32 = 1;
/**
 * Words separated by white space, with letters and punctuation apart, split into pieces of the vocabulary: `WordPiece` with the
 * rules of BERT.
 */
export const CUTS_AT_SPACE: u32 = 2;

/** A model as laid out by the host; members marked `made` are set by {@link staticModelOpen}. */
@unmanaged
export class StaticModel {
  /** CUTS_…; 0: the host tokenizes texts */
  cuts: u32;
  dimensions: u32;
  /** f32[][dimensions]: vectors */
  table: usize;
  /** i32[tokenCount]: row of a token's vector in the table; negative: the token is ignored */
  rows: usize;
  tokenCount: u32;
  /** f32[tokenCount], or 0: all are 1 */
  weights: usize;
  /** f32[dimensions]: the vector of texts without known tokens */
  middle: usize;
  /** spellings of tokens as concatenated UTF-8; u32[spellingCount + 1]: their offsets; u32[spellingCount]: their ids */
  spellings: usize;
  spellingStarts: usize;
  spellingIds: usize;
  spellingCount: u32;
  /** for BPE: u32[mergeCount][3] by descending priority: left token, right token, merged token; u32[256]: tokens of bytes */
  merges: usize;
  mergeCount: u32;
  byteTokens: usize;
  /** for WordPiece: prefix of pieces that continue a word, and its length; the token of unknown words */
  prefix: usize;
  prefixLength: u32;
  unknown: u32;
  /** words with more letters are unknown */
  longestWord: u32;
  /** whether ASCII letters are lowercased */
  lowercase: u32;
  /** made: Vocabulary, u32 table of merges, KeptWords, room for the parts or the letters of a word, and of a piece of it */
  vocabulary: usize;
  mergeTable: usize;
  words: usize;
  work: usize;
  piece: usize;
}
