import fs from 'node:fs';
import zlib from 'node:zlib';
import { WORD_LISTS, type WordList } from '../../../bindings/engine/word-list-bits.js';

/** Where the build puts the word lists, beside the engine. */
const FOLDER = new URL('../../../engine/words/', import.meta.url);
/** A gzip file ends with the length of its uncompressed content, u32. */
const LENGTH_BYTES = 4;

const fileOf = (list: WordList): URL => new URL(`${list}.words.gz`, FOLDER);

/** The uncompressed bytes of a word list (1 to 17 MB); null when this installation lacks it. */
export function readWordList(list: WordList): Uint8Array | null {
  const file = fileOf(list);
  return fs.existsSync(file) ? zlib.gunzipSync(fs.readFileSync(file)) : null;
}

/** Uncompressed sizes of all word lists, in the order of {@link WORD_LISTS}; 0 when this installation lacks a list. */
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
