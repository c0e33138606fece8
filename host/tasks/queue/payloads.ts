import fs from 'node:fs/promises';
import path from 'node:path';
import { PayloadFiles } from '../../index/payloads/payload-files.js';
import { type PayloadReader, payloadDocuments, payloadInMemory } from '../../index/payloads/payload-reader.js';
import type { Ledger, LedgerWrite } from '../../storage/ledger/ledger.js';
import type { TaskRecord, TaskWork } from '../task.js';

const PREFIX = 'payload/';
/** Payloads of the ledger that are in memory at once. */
const READ_AT_ONCE = 128;
/** Files that are removed at once. Each is open meanwhile. */
const REMOVED_AT_ONCE = 64;

type Import = Extract<TaskWork, { kind: 'import' }>;

/** Key of the ledger entry with the payload of a task. */
const payloadKey = (uid: number) => `${PREFIX}${String(uid).padStart(10, '0')}`;

export function putPayload(uid: number, content: Uint8Array): LedgerWrite {
  return { type: 'put', key: payloadKey(uid), value: Buffer.from(content.buffer, content.byteOffset, content.length) };
}

/** Where index threads read a payload. */
export interface PayloadPlace {
  /** File name in the payload folder. */
  file: string;
  at: number;
}

/**
 * The documents of waiting tasks. A small payload is a ledger entry, written together with its task; a large one is a file that
 * the task refers to.
 */
export class TaskPayloads {
  #gathered = 0;

  constructor(
    private readonly ledger: Ledger,
    /** Folder of the payload files. */
    readonly folder: string,
  ) {}

  /** The documents of a task, each on one line; null when they no longer exist. Must be read to the end. */
  async documents({ uid, work }: TaskRecord): Promise<Iterable<Buffer> | null> {
    if (work?.kind !== 'import') return null;
    if (work.file !== null) return this.#documentsOf(work.file);
    const content = await this.ledger.get(payloadKey(uid));
    return content && payloadDocuments(payloadInMemory(content));
  }

  /**
   * Makes the payloads of tasks readable by index threads: those in the ledger are copied to one file, which `drop` removes. The
   * file is not synced, because after a crash the batch starts again.
   */
  async gather(tasks: readonly TaskRecord[]): Promise<{ places: Map<number, PayloadPlace>; drop(): Promise<void> }> {
    const places = new Map<number, PayloadPlace>();
    const small: number[] = [];
    for (const { uid, work } of tasks) {
      if (work?.kind !== 'import') continue;
      if (work.file === null) small.push(uid);
      else places.set(uid, { file: work.file, at: 0 });
    }
    // A batch that was stopped may still be using its file.
    const name = `${this.#gathered++}.gathered`;
    const drop = () => this.drop(name);
    try {
      if (small.length > 0) await this.#copy(small, name, places);
    } catch (error) {
      await drop();
      throw error;
    }
    return { places, drop };
  }

  async #copy(uids: number[], name: string, places: Map<number, PayloadPlace>): Promise<void> {
    const handle = await fs.open(path.join(this.folder, name), 'w');
    try {
      let at = 0;
      for (let first = 0; first < uids.length; first += READ_AT_ONCE) {
        const some = uids.slice(first, first + READ_AT_ONCE);
        const contents = await Promise.all(some.map((uid) => this.#stored(uid)));
        for (const [i, content] of contents.entries()) {
          places.set(some[i]!, { file: name, at });
          at += content.length;
        }
        await handle.appendFile(Buffer.concat(contents));
      }
    } finally {
      await handle.close();
    }
  }

  async #stored(uid: number): Promise<Buffer> {
    const content = await this.ledger.get(payloadKey(uid));
    if (!content) throw new Error(`the payload of task ${uid} is missing`);
    return content;
  }

  /** The removal of the payloads of ended tasks: writes of the commit that ends them, and files to be deleted afterwards. */
  removal(tasks: readonly TaskRecord[]): { writes: LedgerWrite[]; files: string[] } {
    const imports = tasks.filter((task): task is TaskRecord & { work: Import } => task.work?.kind === 'import');
    return {
      writes: imports.flatMap(({ uid, work }) => (work.file === null ? [{ type: 'del', key: payloadKey(uid) }] : [])),
      files: imports.flatMap(({ work }) => work.file ?? []),
    };
  }

  async drop(file: string): Promise<void> {
    await fs.rm(path.join(this.folder, file), { force: true });
  }

  /**
   * Removes files whose end is awaited. Freeing their bytes takes ten times as long as removing their names (140 and 11 ms for fifteen files
   * of 12 MB), so each is open until its name is gone, and closed in the background, which frees the bytes.
   */
  async dropNames(files: readonly string[]): Promise<void> {
    for (let first = 0; first < files.length; first += REMOVED_AT_ONCE) {
      const some = files.slice(first, first + REMOVED_AT_ONCE);
      const removed = await Promise.allSettled(some.map((file) => this.#dropName(path.join(this.folder, file))));
      for (const each of removed) if (each.status === 'rejected') throw each.reason;
    }
  }

  async #dropName(file: string): Promise<void> {
    const handle = await fs.open(file).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error;
    });
    if (!handle) return;
    try {
      await fs.rm(file, { force: true });
    } finally {
      handle.close().catch(() => {});
    }
  }

  /** Removes files of requests that were never acknowledged, and of ended tasks. */
  async removeOrphans(waiting: readonly TaskRecord[]): Promise<void> {
    const needed = new Set(this.removal(waiting).files);
    for (const name of await fs.readdir(this.folder)) {
      if (!needed.has(name)) await fs.rm(path.join(this.folder, name), { force: true, recursive: true });
    }
  }

  #documentsOf(file: string): Iterable<Buffer> | null {
    const files = new PayloadFiles(this.folder);
    let payload: PayloadReader;
    try {
      payload = files.reader(file);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
      throw error;
    }
    return (function* () {
      try {
        yield* payloadDocuments(payload);
      } finally {
        files.close();
      }
    })();
  }
}
