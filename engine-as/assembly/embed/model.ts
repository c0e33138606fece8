/** A static embedding model in memory. */

/**
 * Byte pair encoding of words with the spaces before them. A space represents the marker of such tokenizers (`Ġ` or `▁`), and another
 * one is put before the text.
 */
export const TOKENIZER_BYTE_PAIR: u32 = 1;
/**
 * WordPiece with the rules of BERT: words are separated by white space and punctuation, and split into pieces of the vocabulary.
 */
export const TOKENIZER_WORD_PIECE: u32 = 2;

/** A model as laid out by the host, except for the members after `made`, which {@link staticModelOpen} sets. */
@unmanaged
export class StaticModel {
  /** TOKENIZER_…; 0: the host tokenizes texts */
  tokenizer: u32;
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
  /** made: Vocabulary, MergeTable, CachedWords, room for the parts or the letters of a word, and for a piece of it */
  vocabulary: usize;
  mergeTable: usize;
  words: usize;
  work: usize;
  piece: usize;
}
