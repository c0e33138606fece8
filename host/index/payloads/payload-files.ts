import fs from 'node:fs';
import path from 'node:path';
import { PayloadReader } from './payload-reader.js';
import { ReadBuffers } from './read-buffers.js';

/** Files that are open at once: a batch may have more tasks than a process may have open files. */
const OPEN_FILES = 128;

/** Reads payloads from files. A document of one stays valid until as many others have been read as there are {@link ReadBuffers}. */
export class PayloadFiles {
  readonly #open = new Map<string, number>();
  readonly #buffers = new ReadBuffers();

  constructor(readonly folder: string) {}

  /** @param at offset of the payload in the file */
  reader(file: string, at = 0): PayloadReader {
    const read = (into: Buffer, position: number) => fs.readSync(this.#descriptor(file), into, 0, into.length, at + position);
    return new PayloadReader({ read }, this.#buffers);
  }

  #descriptor(file: string): number {
    const known = this.#open.get(file);
    if (known !== undefined) return known;
    if (this.#open.size >= OPEN_FILES) this.close();
    const fd = fs.openSync(path.join(this.folder, file), 'r');
    this.#open.set(file, fd);
    return fd;
  }

  close(): void {
    for (const fd of this.#open.values()) fs.closeSync(fd);
    this.#open.clear();
  }
}
