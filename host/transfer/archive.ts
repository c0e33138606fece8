import fs from 'node:fs';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import tar from 'tar-stream';

/** A file of an archive: its content, or the path of a file on disk. */
export type ArchiveEntry = { name: string } & ({ content: string | Uint8Array } | { file: string });

/** An archive that is incomplete, damaged, or of another kind. */
export class ArchiveError extends Error {}

/** Low, for speed: archives are written by a server that is also answering requests. */
const GZIP_LEVEL = 3;

/** Writes a gzipped tar of entries as they arrive, and makes it durable. The file is removed on failure. */
export async function writeArchive(file: string, entries: AsyncIterable<ArchiveEntry>, signal: AbortSignal): Promise<void> {
  const pack = tar.pack();
  const output = fs.createWriteStream(file, { flush: true });
  const written = pipeline(pack, createGzip({ level: GZIP_LEVEL }), output, { signal });
  try {
    await Promise.race([fill(pack, entries), written]);
    await written;
  } catch (error) {
    pack.destroy();
    // The cause is already known.
    await written.catch(() => {});
    // The pipeline does not wait for a file that is still being opened, which would appear after its removal.
    if (!output.closed) await new Promise<void>((closed) => output.once('close', closed));
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
      // This throws when the archive was given up, so it comes before the file is opened: nobody would handle errors of that stream.
      const target = pack.entry({ name: entry.name, size });
      await pipeline(fs.createReadStream(entry.file, { end: Math.max(size - 1, 0) }), target);
    }
  }
  pack.finalize();
}

/**
 * Visits the files of a gzipped tar in order; content that `visit` does not read is skipped.
 * @throws {ArchiveError} when the file is not such an archive, or is truncated
 */
export async function readArchive(file: string, visit: (name: string, content: Readable) => Promise<void>): Promise<void> {
  const extract = tar.extract();
  const fed = pipeline(fs.createReadStream(file), createGunzip(), extract);
  // The iterating code sees the failure too.
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
