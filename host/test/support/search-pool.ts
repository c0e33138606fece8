import { SharedMemories } from '../../index/memory/memories.js';
import type { ViewUpdate } from '../../index/memory/views.js';
import { SearchPool, type SearchPoolOptions } from '../../search/pool/pool.js';

const EMPTY_MODULE = new WebAssembly.Module(new Uint8Array([0, 0x61, 0x73, 0x6d, 1, 0, 0, 0]));

/** A pool of search threads with the handlers of pool-handlers.ts. `faults`: the faults that it reports. */
export async function startPool(overrides: Partial<SearchPoolOptions> = {}) {
  const faults: string[] = [];
  const layout = { readers: 2, persistentBytes: 1 << 16, scratchBytes: 1 << 16, poolUnits: 0, wordLists: [] };
  const memories = new SharedMemories(layout);
  const snapshot = (): ViewUpdate => ({
    type: 'views',
    version: 1,
    memories: memories.list,
    sizes: memories.list.map((memory) => memory.buffer.byteLength),
    views: [],
  });
  const pool = await SearchPool.start({
    threads: 2,
    queue: { parallel: 8, capacity: 1000, maxWait: 60_000 },
    giveUpAfter: 60_000,
    readerContext: { module: EMPTY_MODULE, layout, segments: '/nonexistent' },
    handlers: new URL('./pool-handlers.js', import.meta.url).href,
    snapshot,
    onFault: (message) => faults.push(message),
    ...overrides,
  });
  return { pool, faults };
}
