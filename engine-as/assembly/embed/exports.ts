/*
 * Models without a network: texts become vectors here.
 *
 *   model         what the host knows of a model, and the tables made of it
 *   vocabulary    the ids of tokens by what they spell
 *   merges        byte pair encoding: the tokens of a word, and which pairs become one
 *   word-piece    the longest tokens that make up a word
 *   kept-words    tokens of words that were met before
 *   tokens        the tokens of a text, word by word
 *   pool          the vector of a text, from those of its tokens
 */
export { CUTS_AT_BLANKS, CUTS_AT_SPACE, StaticModel, staticModelOpen } from './model';
export { embedText } from './pool';
export { Tokens } from './tokens';
