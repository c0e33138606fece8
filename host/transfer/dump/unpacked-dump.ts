import fs from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { ArchiveError, readArchive } from '../archive.js';
import { jsonLines } from '../lines.js';
import type { Staging } from '../staging.js';
import { DUMP } from './layout.js';

/** The files of a dump, under short names in the staging folder: names in the archive can be too long for a file system. */
export class UnpackedDump {
  private constructor(readonly files: ReadonlyMap<string, string>) {}

  /** @throws {ArchiveError} when the file is damaged or not a dump of a known version */
  static async open(archive: string, staging: Staging): Promise<UnpackedDump> {
    const files = new Map<string, string>();
    await readArchive(archive, async (name, content) => {
      const file = staging.path(`${files.size}.part`);
      files.set(name, file);
      await pipeline(content, fs.createWriteStream(file));
    });
    const dump = new UnpackedDump(files);
    const version = dump.json(DUMP.metadata)?.dumpVersion;
    if (version === undefined) throw new ArchiveError(`it is no dump: it has no \`${DUMP.metadata}\` with a version`);
    if (version !== DUMP.version)
      throw new ArchiveError(`it is a dump of version ${version}; only version ${DUMP.version} can be read`);
    return dump;
  }

  /** Indexes of which the dump has any file. */
  get indexes(): string[] {
    return this.#named(/^indexes\/([A-Za-z0-9_-]+)\/[^/]+$/);
  }

  get workspaces(): string[] {
    return this.#named(/^chat-completions-settings\/([A-Za-z0-9_-]+)\.json$/);
  }

  /** The captured parts of file names that match a pattern. */
  #named(pattern: RegExp): string[] {
    return [...new Set([...this.files.keys()].flatMap((name) => pattern.exec(name)?.[1] ?? []))].sort();
  }

  /** The path of a file that a dump must have. */
  required(name: string): string {
    const file = this.files.get(name);
    if (file === undefined) throw new ArchiveError(`\`${name}\` is missing in it`);
    return file;
  }

  text(name: string): string | null {
    const file = this.files.get(name);
    return file === undefined ? null : fs.readFileSync(file, 'utf8');
  }

  /** The object in a file; null when there is none. */
  json(name: string): Record<string, unknown> | null {
    const text = this.text(name);
    if (text === null || text.trim() === '') return null;
    try {
      const value: unknown = JSON.parse(text);
      return value === null ? null : objectIn(name, value);
    } catch (error) {
      throw fault(name, error);
    }
  }

  /** The objects in the lines of a file. */
  async *lines<T>(name: string): AsyncGenerator<T> {
    const file = this.files.get(name);
    if (file === undefined) return;
    try {
      for await (const value of jsonLines(file)) yield objectIn(name, value) as T;
    } catch (error) {
      throw fault(name, error);
    }
  }
}

function objectIn(name: string, value: unknown): Record<string, unknown> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  throw new ArchiveError(`\`${name}\` in it has ${JSON.stringify(value).slice(0, 80)} where an object must be`);
}

function fault(name: string, error: unknown): unknown {
  return error instanceof SyntaxError ? new ArchiveError(`\`${name}\` in it is not JSON: ${error.message}`) : error;
}
