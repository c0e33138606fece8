import t from 'tap';
import { UNIT_BYTES } from '../../../bindings/engine/exports.js';
import { STATIC_END } from '../../../bindings/engine/instance.js';
import {
  type ArenaLayout,
  arenaLayout,
  arenaOf,
  type Placement,
  SharedMemories,
  scratchPoolOf,
  wordListPlaces,
} from '../../index/memory/memories.js';

const LAYOUT: ArenaLayout = { readers: 3, persistentBytes: 1 << 16, scratchBytes: 1 << 17, poolUnits: 0, wordLists: [] };
const HEAP_START = STATIC_END + 3 * ((1 << 16) + (1 << 17));

t.test('arenas are adjacent, and followed by the heap', async (t) => {
  const arenas = [0, 1, 2].map((reader) => arenaOf(LAYOUT, reader));
  t.equal(arenas[0]?.start, STATIC_END);
  t.equal(arenas[1]?.start, arenas[0]?.end);
  t.equal(arenas[2]?.end, HEAP_START);
  t.equal(new SharedMemories(LAYOUT).place(10).pointer, HEAP_START);
  for (const readers of [1, 4, 5, 64, 200]) {
    const layout = arenaLayout(readers);
    t.ok(wordListPlaces(layout).end <= 2 ** 31, `${readers} readers leave half of the addresses to segments`);
    t.ok(layout.poolUnits * UNIT_BYTES > scratchPoolOf(layout, 0).limit, 'one search cannot take all of the pool');
  }
});

t.test('bytes of an index are placed in its memory while there is room, then in another', async (t) => {
  const memories = new SharedMemories(LAYOUT, 1 << 20);
  const first = memories.place(700_000);
  const second = memories.place(700_000);
  t.same([first.memory, second.memory], [0, 1]);
  t.equal(memories.place(200_000, 1).memory, 1, 'beside its neighbour');
  t.equal(memories.place(200_000).memory, 0);
  const long = memories.place(5 << 20);
  t.equal(long.memory, 2, 'longer than the limit: a memory of its own');
  t.equal(memories.place(10, 2).memory, 0, 'which takes nothing else');
  t.equal(memories.placeIn(2, 1000).memory, 2, 'but tombstones');
  memories.free(first);
  t.equal(memories.place(600_000, 2).memory, 0, 'freed bytes are used again');
});

t.test('optional bytes are placed only within the limit', async (t) => {
  const memories = new SharedMemories(LAYOUT, 1 << 20);
  memories.place(700_000);
  t.equal(memories.placeSpare(0, 400_000), null);
  const spare = memories.placeSpare(0, 300_000);
  t.equal(spare?.memory, 0);
  t.equal(memories.place(100_000).memory, 1, 'it takes part in the limit');
  memories.free(spare as Placement);
  t.equal(memories.place(100_000).memory, 0);
});

t.test('memories grow when needed, and keep their content', async (t) => {
  const memories = new SharedMemories(LAYOUT);
  const first = memories.place(1000);
  memories.bytes(first).fill(9);
  const memory = memories.list[0] as WebAssembly.Memory;
  const before = memory.buffer.byteLength;
  const large = memories.place(200 << 20);
  t.ok(memory.buffer.byteLength > before);
  t.equal(large.memory, 0);
  memories.bytes(large)[(200 << 20) - 1] = 1;
  t.ok(memories.bytes(first).every((byte) => byte === 9));
  t.throws(() => memories.place(5 * 2 ** 30), /no room/);
});
