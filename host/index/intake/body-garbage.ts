import { collectYoung } from '../../runtime/collect.js';

const MAX_GARBAGE_BYTES = 8 << 20;

let garbageBytes = 0;

/**
 * Reports that `bytes` of request bodies are garbage now. Bodies arrive in buffers of 64 KiB outside the heap, and V8 by itself would
 * let some 64 MiB of them pile up before it collects.
 */
export function reportBodyGarbage(bytes: number): void {
  garbageBytes += bytes;
  if (garbageBytes < MAX_GARBAGE_BYTES) return;
  garbageBytes = 0;
  collectYoung();
}
