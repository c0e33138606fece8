/** Costs of the word position rule, by the distance of a word from its position in the query. */
import { alloc } from '../runtime/arena';

/** Positions below this are stored exactly, others as buckets: 24, 32, 64, … 65535. */
export const EXACT_POSITIONS: u32 = 16;
const BUCKETS: u32 = 29;

/** Index of the bucket of a position. */
export function bucketIndex(position: u32): u32 {
  if (position < EXACT_POSITIONS) return position;
  if (position < 24) return EXACT_POSITIONS;
  return EXACT_POSITIONS + 28 - clz<u32>(position - 1);
}

/** The position that represents a bucket. */
function bucketPosition(index: u32): u32 {
  if (index < EXACT_POSITIONS) return index;
  if (index === EXACT_POSITIONS) return 24;
  return min<u32>(1 << (index - 12), 65535);
}

/** Largest distance for each cost. */
const DISTANCE_LIMITS: StaticArray<u32> = [0, 1, 4, 7, 11, 16, 24, 64, 256, 1024];

function distanceCost(distance: u32): u32 {
  let cost: u32 = 0;
  while (cost < 10 && distance > unchecked(DISTANCE_LIMITS[cost])) cost++;
  return cost;
}

/** Number of costs for one word: 0 to 10. */
export const POSITION_COSTS: u32 = 11;

/** Costs by bucket of the position, for a node of `size` words at position `start`: u16[BUCKETS]. */
export function positionCosts(start: u32, size: u32): usize {
  const costs = alloc((<usize>BUCKETS) << 1);
  for (let bucket: u32 = 0; bucket < BUCKETS; bucket++) {
    const position = bucketPosition(bucket);
    const distance = position > start ? position - start : start - position;
    store<u16>(costs + ((<usize>bucket) << 1), <u16>costOf(distance, size));
  }
  return costs;
}

/** The cost of a node of `size` words whose first word is at a distance from its position in the query. */
function costOf(distance: u32, size: u32): u32 {
  let cost: u32 = 0;
  for (let i: u32 = 0; i < size; i++) cost += distanceCost(distance + i);
  return cost;
}

/** The cost of a node of `size` words at its position. */
export function leastCost(size: u32): u32 {
  return costOf(0, size);
}

/** Positions below this have their costs in a direct table. */
const TABLE_POSITIONS: u32 = 1024;

/** The costs of a node of one word that starts at `start`: for {@link costOfPosition}. */
export function costsByPosition(start: u32): usize {
  const byBucket = positionCosts(start, 1);
  const costs = alloc(<usize>(TABLE_POSITIONS + BUCKETS));
  for (let position: u32 = 0; position < TABLE_POSITIONS; position++) {
    store<u8>(costs + position, load<u16>(byBucket + ((<usize>bucketIndex(position)) << 1)));
  }
  for (let bucket: u32 = 0; bucket < BUCKETS; bucket++) {
    store<u8>(costs + TABLE_POSITIONS + bucket, load<u16>(byBucket + ((<usize>bucket) << 1)));
  }
  return costs;
}

/** Decreases up to the position of the node in the query, and increases after it. */
export function costOfPosition(costs: usize, position: u32): u32 {
  const place = position < TABLE_POSITIONS ? position : TABLE_POSITIONS + bucketIndex(position);
  return load<u8>(costs + place);
}
