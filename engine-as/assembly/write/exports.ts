/*
 * Answers are written here: the hits of a page, and documents as the document routes show them.
 *
 *   plan                      the request, as the host encodes it
 *   terms                     what texts are searched for
 *   hits                      a hit, member by member
 *   path-tree                 the paths found in documents, each with its rule of the plan
 *   projection                what is retrieved
 *   formatted                 the walk for `_formatted` and positions
 *   formatted-text            one text of it: text-words, read-words and ascii-words (words that may match), term-matcher, matches, part-end, crop
 *   scores                    `_rankingScore` and its details
 *   answer-end                the members after the hits
 *   match-positions           `_matchesPosition`
 *   known-words               which words the index has
 *   output                    the bytes
 */
export { AnswerEnd, NO_PAGES, writeEnd } from './answer-end';
export { HitsPlan, WrittenHits, writeHits } from './hits';
export { FormatPlan, PathRule, SHARE_NONE, SHARE_PART, SHARE_WHOLE } from './plan';
