import fs from 'node:fs';
import zlib from 'node:zlib';
import type { WordList } from '../../bindings/engine/tokenizer.js';

/** Where the build puts the lists of words, beside the engine. */
const FOLDER = new URL('../../engine/words/', import.meta.url);

/** The unpacked bytes of a list of words (1 … 4 MB), null when this installation comes without it. */
export function readWordList(list: WordList): Uint8Array | null {
  const file = new URL(`${list}.words.gz`, FOLDER);
  return fs.existsSync(file) ? zlib.gunzipSync(fs.readFileSync(file)) : null;
}
