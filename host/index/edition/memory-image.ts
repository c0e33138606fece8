const PAGE = 4096;
/** Zeros at the start of a gap that may be variables rather than the unused stack. */
const MARGIN = 256 << 10;

interface Part {
  offset: number;
  bytes: Uint8Array;
}

/**
 * The content of a WebAssembly memory at a moment when no code of it is running, to be put back as often as needed.
 *
 *   | variables | zeros: the stack, which nothing reads now | stack in use, heap | zeros: never allocated |
 *
 * Both runs of zeros stay out, which makes an image of some hundred kilobytes. What is written beyond the heap later needs no clearing: an
 * allocator that is put back knows nothing of it.
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
