const PAGE = 4096;
/** Zeros at the beginning of a gap that may be variables rather than unused stack. */
const MARGIN = 256 << 10;

interface Part {
  offset: number;
  bytes: Uint8Array;
}

/**
 * A snapshot of a WebAssembly memory, taken while none of its code is running, that can be restored any number of times.
 *
 *   | variables | zeros: unused stack | stack in use, heap | zeros: never allocated |
 *
 * The two runs of zeros are left out, so that an image takes a few hundred kilobytes. What is written beyond the heap later need not
 * be cleared, because the restored allocator has not handed it out.
 */
export class MemoryImage {
  readonly #parts: Part[];

  constructor(private readonly memory: WebAssembly.Memory) {
    const bytes = new Uint8Array(memory.buffer);
    const end = lastUsed(bytes);
    const gap = longestGap(bytes, end);
    const low = Math.min(gap.start + MARGIN, gap.end);
    this.#parts = [
      { offset: 0, bytes: bytes.slice(0, low) },
      { offset: gap.end, bytes: bytes.slice(gap.end, end) },
    ];
  }

  restore(): void {
    const target = new Uint8Array(this.memory.buffer);
    for (const { offset, bytes } of this.#parts) target.set(bytes, offset);
  }
}

function isZero(bytes: Uint8Array, page: number): boolean {
  for (let at = page; at < page + PAGE; at++) if (bytes[at] !== 0) return false;
  return true;
}

function lastUsed(bytes: Uint8Array): number {
  let end = bytes.length;
  while (end > 0 && isZero(bytes, end - PAGE)) end -= PAGE;
  return end;
}

function longestGap(bytes: Uint8Array, end: number): { start: number; end: number } {
  let longest = { start: 0, end: 0 };
  let start = 0;
  for (let page = 0; page < end; page += PAGE) {
    if (!isZero(bytes, page)) start = page + PAGE;
    else if (page + PAGE - start > longest.end - longest.start) longest = { start, end: page + PAGE };
  }
  return longest;
}
