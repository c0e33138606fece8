import fs from 'node:fs';
import path from 'node:path';
import { type BlockSource, EngineInstance } from '../../../bindings/engine/instance.js';
import type { SegmentAccess } from '../../../bindings/engine/segments.js';
import type { IndexView, SegmentRef } from '../../../bindings/index-types.js';
import { storageError } from '../../storage/errors.js';
import { type ArenaLayout, arenaOf, scratchPoolOf } from './memories.js';
import { SharedWordLists } from './shared-word-lists.js';

/** What a thread needs to read segments; structured-cloneable. */
export interface ThreadContextOptions {
  /** The `shared` build of the engine. */
  module: WebAssembly.Module;
  layout: ArenaLayout;
  /** Reader number of the thread: which arena it uses. */
  reader: number;
  /** Folder of the segment files. */
  segments: string;
}

/** The engine instances of one thread, one per shared memory, and its open segment files. */
export class ThreadContext implements SegmentAccess {
  readonly #options: ThreadContextOptions;
  readonly #memories: WebAssembly.Memory[] = [];
  readonly #instances: { instance: EngineInstance; mark: number }[] = [];
  readonly #files = new Map<string, number>();
  readonly #wordLists: SharedWordLists;

  constructor(options: ThreadContextOptions) {
    this.#options = options;
    this.#wordLists = new SharedWordLists(options.layout);
  }

  /** All memories of the process, with their sizes in bytes when the message was sent. */
  setMemories(memories: WebAssembly.Memory[], sizes: number[]): void {
    this.#memories.push(...memories.slice(this.#memories.length));
    for (const [index, memory] of this.#memories.entries()) {
      // A thread notices that another one grew the memory at its next stack check, which a loop contains.
      while (memory.buffer.byteLength < (sizes[index] as number));
    }
  }

  /** The memory with most of the index. */
  mainMemory({ segments }: IndexView): number {
    const bytes = new Map<number, number>();
    for (const { memory, residentLength } of segments) bytes.set(memory, (bytes.get(memory) ?? 0) + residentLength);
    const [fullest] = [...bytes].sort((a, b) => b[1] - a[1] || a[0] - b[0])[0] ?? [0];
    return fullest;
  }

  instance(memory: number): EngineInstance {
    let entry = this.#instances[memory];
    if (!entry) {
      const { module, layout, reader } = this.#options;
      const instance = new EngineInstance(module, {
        memory: this.#memories[memory] as WebAssembly.Memory,
        ...arenaOf(layout, reader),
        pool: scratchPoolOf(layout, reader),
      });
      this.#wordLists.attach(instance);
      entry = { instance, mark: instance.exports.arenaMark() };
      this.#instances[memory] = entry;
    }
    return entry.instance;
  }

  source(ref: SegmentRef): BlockSource {
    return {
      read: (offset, length, memory, at) => {
        try {
          const fd = this.#open(ref.file);
          for (let done = 0; done < length; ) {
            const read = fs.readSync(fd, memory, at + done, length - done, offset + done);
            if (read === 0) throw new Error(`${ref.file} ends before byte ${offset + length}`);
            done += read;
          }
        } catch (error) {
          throw storageError(error);
        }
      },
    };
  }

  /** Runs a job, and releases the scratch memory that it allocated in every memory. */
  scoped<T>(job: () => T): T {
    try {
      return job();
    } finally {
      for (const entry of this.#instances) entry?.instance.exports.arenaReset(entry.mark);
    }
  }

  /** Discards what the instances keep between jobs, because an interrupted job may have left it inconsistent. */
  forget(): void {
    for (const entry of this.#instances) entry?.instance.forget();
  }

  /** Loads the word lists that the last jobs lacked. @returns true: these jobs must be run again */
  completeWordLists(): boolean {
    let given = false;
    for (const entry of this.#instances) if (entry && this.#wordLists.complete(entry.instance)) given = true;
    return given;
  }

  /** Closes the files that no view refers to. */
  keepFiles(files: Set<string>): void {
    for (const [file, fd] of this.#files) {
      if (files.has(file)) continue;
      fs.closeSync(fd);
      this.#files.delete(file);
    }
  }

  #open(file: string): number {
    let fd = this.#files.get(file);
    if (fd === undefined) {
      fd = fs.openSync(path.join(this.#options.segments, file), 'r');
      this.#files.set(file, fd);
    }
    return fd;
  }
}
