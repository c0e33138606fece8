import fs from 'node:fs';
import { pipeline } from 'node:stream/promises';

const LINE_FEED = 0x0a;
/** Bytes per read when lines are wanted one by one. */
const CHUNK_BYTES = 1 << 20;

/** Writes values as JSON lines; bytes are written as they are. */
export async function writeLines(file: string, values: Iterable<unknown> | AsyncIterable<unknown>): Promise<void> {
  await pipeline(linesOf(values), fs.createWriteStream(file));
}

async function* linesOf(values: Iterable<unknown> | AsyncIterable<unknown>): AsyncGenerator<string | Uint8Array> {
  for await (const value of values) {
    yield value instanceof Uint8Array ? Buffer.concat([value, Buffer.of(LINE_FEED)]) : `${JSON.stringify(value)}\n`;
  }
}

/** Reads a file in chunks of complete lines, of about `bytes` bytes each or one longer line. The chunks own their memory. */
export async function* chunksOfLines(file: string, bytes: number): AsyncGenerator<Buffer> {
  let rest: Buffer[] = [];
  let held = 0;
  for await (const chunk of fs.createReadStream(file, { highWaterMark: Math.min(bytes, CHUNK_BYTES) })) {
    const read = chunk as Buffer;
    rest.push(read);
    held += read.length;
    const end = held < bytes ? -1 : read.lastIndexOf(LINE_FEED);
    if (end < 0) continue;
    const beyond = read.length - (end + 1);
    yield Buffer.concat(rest).subarray(0, held - beyond);
    rest = [read.subarray(end + 1)];
    held = beyond;
  }
  if (held > 0) yield Buffer.concat(rest);
}

/** Reads the JSON values of a file with one per line. @throws {SyntaxError} */
export async function* jsonLines<T>(file: string): AsyncGenerator<T> {
  for await (const chunk of chunksOfLines(file, CHUNK_BYTES)) {
    for (let start = 0; start < chunk.length; ) {
      const found = chunk.indexOf(LINE_FEED, start);
      const end = found < 0 ? chunk.length : found;
      const line = chunk.toString('utf8', start, end).trim();
      if (line !== '') yield JSON.parse(line) as T;
      start = end + 1;
    }
  }
}
