/**
 * The entry point for browsers: with this module, the engine's WebAssembly module and the files of an index, a page searches
 * without a server.
 */
export type { WordList } from './engine/word-list-bits.js';
export { ApiError } from './errors.js';
export type { IndexSettings } from './index-types.js';
export { LocalIndex, type LocalIndexOptions, type LocalSegment } from './local-index.js';
