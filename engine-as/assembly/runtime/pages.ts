/** A long byte sequence that grows without being moved: pages of equal size, all full but the last. */
import { alloc } from './arena';
import { BLOCK_BYTES, blockAlloc } from './blocks';
import { Buffer, bufferCreate, bufferPush32 } from './buffer';
import { copyBytes } from './copy';

/** A multiple of the steps of the checksum. */
const PAGE_BYTES: usize = BLOCK_BYTES;

@unmanaged
export class Pages {
  /** Buffer of u32 addresses */
  addresses: usize;
  /** free bytes of the last page */
  left: usize;
  /** all bytes */
  length: u64;
}

export function pagesCreate(): usize {
  const pages = changetype<Pages>(alloc(offsetof<Pages>()));
  pages.addresses = bufferCreate(256);
  pages.left = 0;
  pages.length = 0;
  return changetype<usize>(pages);
}

export function pagesCount(pointer: usize): u32 {
  return <u32>(changetype<Buffer>(changetype<Pages>(pointer).addresses).length >> 2);
}

export function pageAddress(pointer: usize, index: u32): usize {
  return load<u32>(changetype<Buffer>(changetype<Pages>(pointer).addresses).data + ((<usize>index) << 2));
}

/** Bytes in use of a page. */
export function pageLength(pointer: usize, index: u32): u32 {
  return <u32>(index + 1 === pagesCount(pointer) ? PAGE_BYTES - changetype<Pages>(pointer).left : PAGE_BYTES);
}

export function pagesAppend(pointer: usize, bytes: usize, length: usize): void {
  const pages = changetype<Pages>(pointer);
  let from = bytes;
  let left = length;
  while (left > 0) {
    if (pages.left === 0) {
      bufferPush32(pages.addresses, <u32>blockAlloc());
      pages.left = PAGE_BYTES;
    }
    const count = min<usize>(left, pages.left);
    copyBytes(pageAddress(pointer, pagesCount(pointer) - 1) + (PAGE_BYTES - pages.left), from, count);
    pages.left -= count;
    pages.length += count;
    from += count;
    left -= count;
  }
}

/** Copies `length` bytes from byte `from` on. */
export function pagesRead(pointer: usize, from: u64, length: usize, out: usize): void {
  let page = <u32>(from / PAGE_BYTES);
  let skip = <usize>(from % PAGE_BYTES);
  let left = length;
  while (left > 0) {
    const count = min<usize>(left, PAGE_BYTES - skip);
    memory.copy(out, pageAddress(pointer, page++) + skip, count);
    out += count;
    left -= count;
    skip = 0;
  }
}

const ZEROS: StaticArray<u64> = [0, 0, 0, 0, 0, 0, 0, 0];

/** Appends zeros up to a multiple of `alignment` (a power of two, at most 64). */
export function pagesAlign(pointer: usize, alignment: u32): void {
  const rest = <u32>changetype<Pages>(pointer).length & (alignment - 1);
  if (rest) pagesAppend(pointer, changetype<usize>(ZEROS), alignment - rest);
}
