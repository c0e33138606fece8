import { alloc, allocZeroed } from '../runtime/arena';
import { keptWordsCreate } from './kept-words';
import { MAX_WORD_BYTES, mergesCreate, PART_BYTES } from './merges';
import { vocabularyCreate } from './vocabulary';

/**
 * Byte pair encoding of words with the blanks before them: a blank stands for the mark that such tokenizers put in its place, and the
 * text begins with one more.
 */
export const CUTS_AT_BLANKS: u32 = 1;
/** Words between white space, letters and punctuation apart, in pieces of the vocabulary: `WordPiece` after the rules of BERT. */
export const CUTS_AT_SPACE: u32 = 2;

/** A model as the host lays it out; what is marked so is made by {@link staticModelOpen}. */
@unmanaged
export class StaticModel {
  /** CUTS_…; 0: the host knows the tokens of texts */
  cuts: u32;
  dimensions: u32;
  /** f32[][dimensions]: vectors */
  table: usize;
  /** i32[tokenCount]: the row of the table that is the vector of a token; below 0: it says nothing */
  rows: usize;
  tokenCount: u32;
  /** f32[tokenCount], or 0: all are 1 */
  weights: usize;
  /** f32[dimensions]: the vector of texts without a token that says something */
  middle: usize;
  /** what tokens spell, UTF-8 one after the other; u32[spellingCount + 1]: where each begins; u32[spellingCount]: their ids */
  spellings: usize;
  spellingStarts: usize;
  spellingIds: usize;
  spellingCount: u32;
  /** of BPE: u32[mergeCount][3], first the most wanted: left token, right token, what they become; u32[256]: tokens of bytes */
  merges: usize;
  mergeCount: u32;
  byteTokens: usize;
  /** of WordPiece: what stands before pieces that continue a word, and its bytes; the token of words that cannot be made up */
  prefix: usize;
  prefixLength: u32;
  unknown: u32;
  /** letters of longer words are not looked at */
  longestWord: u32;
  /** ASCII letters are taken for small ones */
  lowercase: u32;
  /** made: Vocabulary, u32 table of merges, KeptWords, room for the parts or the letters of a word, and of a piece of it */
  vocabulary: usize;
  mergeTable: usize;
  words: usize;
  work: usize;
  piece: usize;
}

/** Makes the tables of a model, in scratch that is to stay. */
export function staticModelOpen(model: StaticModel): void {
  if (model.cuts === 0) return;
  model.vocabulary = vocabularyCreate(model.spellings, model.spellingStarts, model.spellingIds, model.spellingCount);
  if (model.cuts === CUTS_AT_BLANKS) model.mergeTable = mergesCreate(model.merges, model.mergeCount);
  model.words = keptWordsCreate();
  model.work = alloc((<usize>MAX_WORD_BYTES + 1) * PART_BYTES);
  model.piece = allocZeroed(<usize>(model.prefixLength + MAX_WORD_BYTES));
  memory.copy(model.piece, model.prefix, model.prefixLength);
}
