/*
 * Static embedding models: vectors of texts from vectors of tokens.
 *
 *   model         a model as the host lays it out; open-model builds its tables
 *   vocabulary    ids of tokens by their spelling
 *   merges        byte pair encoding: the tokens of a word, and which pairs merge
 *   word-piece    the longest tokens that make up a word
 *   cached-words    a cache of the tokens of words
 *   tokens        the tokens of a text, word by word
 *   pool          the vector of a text, from those of its tokens
 */
export { StaticModel, TOKENIZER_BYTE_PAIR, TOKENIZER_WORD_PIECE } from './model';
export { staticModelOpen } from './open-model';
export { embedText } from './pool';
export { Tokens } from './tokens';
