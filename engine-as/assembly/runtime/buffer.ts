/** Growing arrays in scratch memory, by doubling; outgrown memory is released with the scratch memory. */
import { alloc } from './arena';
import { blocksFrom } from './blocks';
import { copyBytes } from './copy';

@unmanaged
export class Buffer {
  data: usize;
  /** bytes in use */
  length: usize;
  capacity: usize;
  /** whether it lasts until the list of free blocks is dropped, so that outgrown memory becomes blocks */
  isLasting: bool;
}

export function bufferCreate(capacity: usize): usize {
  const buffer = changetype<Buffer>(alloc(offsetof<Buffer>()));
  buffer.data = alloc(capacity);
  buffer.length = 0;
  buffer.capacity = capacity;
  buffer.isLasting = false;
  return changetype<usize>(buffer);
}

/** A buffer that lasts until the list of free blocks is dropped: what it outgrows becomes blocks. */
export function bufferCreateLasting(capacity: usize): usize {
  const buffer = bufferCreate(capacity);
  changetype<Buffer>(buffer).isLasting = true;
  return buffer;
}

/** Makes room for `bytes` more and returns their address; the caller advances `length`. */
export function bufferRoom(pointer: usize, bytes: usize): usize {
  const buffer = changetype<Buffer>(pointer);
  const needed = buffer.length + bytes;
  if (needed > buffer.capacity) {
    const capacity = max<usize>(needed, buffer.capacity << 1);
    const data = alloc(capacity);
    memory.copy(data, buffer.data, buffer.length);
    if (buffer.isLasting) blocksFrom(buffer.data, buffer.capacity);
    buffer.data = data;
    buffer.capacity = capacity;
  }
  return buffer.data + buffer.length;
}

export function bufferPush32(pointer: usize, value: u32): void {
  store<u32>(bufferRoom(pointer, 4), value);
  changetype<Buffer>(pointer).length += 4;
}

export function bufferPush64(pointer: usize, value: u64): void {
  store<u64>(bufferRoom(pointer, 8), value);
  changetype<Buffer>(pointer).length += 8;
}

/** Appends bytes and returns their address (valid until the buffer grows). */
export function bufferPushBytes(pointer: usize, bytes: usize, length: usize): usize {
  const at = bufferRoom(pointer, length);
  copyBytes(at, bytes, length);
  changetype<Buffer>(pointer).length += length;
  return at;
}
