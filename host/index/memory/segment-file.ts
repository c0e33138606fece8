import fs from 'node:fs';
import path from 'node:path';
import type { FileRange } from '../../../bindings/engine/segment-file.js';
import type { StoredSegment } from '../record.js';

/** A segment file that is open for reading into memory. */
export class SegmentFile {
  private constructor(
    readonly name: string,
    private readonly handle: fs.promises.FileHandle,
  ) {}

  static async open(folder: string, { file }: StoredSegment): Promise<SegmentFile> {
    return new SegmentFile(file, await fs.promises.open(path.join(folder, file), 'r'));
  }

  /**
   * Reads a range, `step` bytes at once. @param into where it goes, asked before each step because memories grow
   * @returns false: it was not wanted any more after some step. @throws {Error} when the file ends before the range
   */
  async read({ offset, length }: FileRange, into: () => Uint8Array, step: number, isWanted = () => true): Promise<boolean> {
    for (let done = 0; done < length; ) {
      const { bytesRead } = await this.handle.read(into(), done, Math.min(step, length - done), offset + done);
      if (bytesRead === 0) throw new Error(`${this.name} ends before byte ${offset + length}`);
      if (!isWanted()) return false;
      done += bytesRead;
    }
    return true;
  }

  close(): Promise<void> {
    return this.handle.close();
  }
}
