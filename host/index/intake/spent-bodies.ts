import { collectYoung } from '../../runtime/collect.js';

const MAX_SPENT_BYTES = 8 << 20;

let spentBytes = 0;

/**
 * Reports that `bytes` of request bodies are garbage now. Bodies arrive in buffers of 64 KiB outside the heap, and V8 by itself would
 * let some 64 MiB of them pile up before it collects.
 */
export function spent(bytes: number): void {
  spentBytes += bytes;
  if (spentBytes < MAX_SPENT_BYTES) return;
  spentBytes = 0;
  collectYoung();
}
