/** What a page needs to search without a server: the engine's module, the files of an index, and this. */
export type { WordList } from './engine/word-lists.js';
export { ApiError } from './errors.js';
export type { IndexSettings } from './index-types.js';
export { LocalIndex, type LocalIndexOptions, type LocalSegment } from './local-index.js';
