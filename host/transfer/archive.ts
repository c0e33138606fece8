import fs from 'node:fs';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import tar from 'tar-stream';

/** A file of an archive: its content, or the file on disk that holds it. */
export type ArchiveEntry = { name: string } & ({ content: string | Uint8Array } | { file: string });

/** An archive that is missing parts, damaged, or not what it should be. */
export class ArchiveError extends Error {}

/** Speed counts more than size: archives are written by a server at work. */
const GZIP_LEVEL = 3;

/** Writes a gzipped tar of entries as they come, and makes it durable. What was written is removed on failure. */
export async function writeArchive(file: string, entries: AsyncIterable<ArchiveEntry>, signal: AbortSignal): Promise<void> {
  const pack = tar.pack();
  const output = fs.createWriteStream(file, { flush: true });
  const written = pipeline(pack, createGzip({ level: GZIP_LEVEL }), output, { signal });
  try {
    await Promise.race([fill(pack, entries), written]);
    await written;
  } catch (error) {
    pack.destroy();
    // the cause is known already; this one only says that the pipeline has let go of the file
    await written.catch(() => {});
    fs.rmSync(file, { force: true });
    throw error;
  }
}

async function fill(pack: tar.Pack, entries: AsyncIterable<ArchiveEntry>): Promise<void> {
  for await (const entry of entries) {
    if ('content' in entry) {
      const content = Buffer.from(entry.content as string);
      await new Promise<void>((resolve, reject) => {
        pack.entry({ name: entry.name }, content, (error) => (error ? reject(error) : resolve()));
      });
    } else {
      const { size } = await fs.promises.stat(entry.file);
      await pipeline(fs.createReadStream(entry.file, { end: Math.max(size - 1, 0) }), pack.entry({ name: entry.name, size }));
    }
  }
  pack.finalize();
}

/**
 * Visits the files of a gzipped tar in order; a content that `visit` does not read is passed over.
 * @throws {ArchiveError} when the file is no such archive, or ends too early
 */
export async function readArchive(file: string, visit: (name: string, content: Readable) => Promise<void>): Promise<void> {
  const extract = tar.extract();
  const fed = pipeline(fs.createReadStream(file), createGunzip(), extract);
  // whoever iterates learns of the failure too
  fed.catch(() => {});
  try {
    for await (const entry of extract) {
      const content = entry as unknown as Readable;
      if (entry.header.type === 'file') await visit(entry.header.name.replace(/^\.\//, ''), content);
      content.resume();
    }
    await fed;
  } catch (error) {
    extract.destroy();
    await fed.catch(() => {});
    const code = (error as NodeJS.ErrnoException).code;
    const broken = code?.startsWith('Z_') || /tar header|Unexpected end|Writable stream closed/i.test((error as Error).message);
    throw broken ? new ArchiveError(`the archive is damaged: ${(error as Error).message}`) : error;
  }
}
