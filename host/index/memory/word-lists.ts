import fs from 'node:fs';
import zlib from 'node:zlib';
import { WORD_LISTS, type WordList } from '../../../bindings/engine/word-lists.js';

/** Where the build puts the lists of words, beside the engine. */
const FOLDER = new URL('../../../engine/words/', import.meta.url);
/** The last bytes of a gzip file: the length of what it holds, u32. */
const LENGTH_BYTES = 4;

const fileOf = (list: WordList): URL => new URL(`${list}.words.gz`, FOLDER);

/** The unpacked bytes of a list of words (1 … 17 MB), null when this installation comes without it. */
export function readWordList(list: WordList): Uint8Array | null {
  const file = fileOf(list);
  return fs.existsSync(file) ? zlib.gunzipSync(fs.readFileSync(file)) : null;
}

/** Bytes of every list unpacked, in the order of {@link WORD_LISTS}; 0 where this installation comes without it. */
export function wordListSizes(): number[] {
  return WORD_LISTS.map((list) => {
    const file = fileOf(list);
    return fs.existsSync(file) ? unpackedBytes(file) : 0;
  });
}

function unpackedBytes(file: URL): number {
  const fd = fs.openSync(file, 'r');
  try {
    const length = Buffer.alloc(LENGTH_BYTES);
    fs.readSync(fd, length, 0, LENGTH_BYTES, fs.fstatSync(fd).size - LENGTH_BYTES);
    return length.readUInt32LE();
  } finally {
    fs.closeSync(fd);
  }
}
