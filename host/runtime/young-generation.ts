/** V8 counts two semi-spaces and as much again for large young objects. */
const SEMI_SPACES = 3;

/**
 * Resource limits of a thread whose semi-space does not grow beyond `semiSpaceBytes`. Garbage of a thread stays in memory until its
 * semi-space is full, together with the buffers that it refers to.
 */
export function youngGeneration(semiSpaceBytes: number): { maxYoungGenerationSizeMb: number } {
  return { maxYoungGenerationSizeMb: (semiSpaceBytes * SEMI_SPACES) / 2 ** 20 };
}
