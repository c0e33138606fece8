/** What the host does for the engine. */

/** Milliseconds of a clock that does not jump. */
export declare function now(): f64;

/**
 * Carries a request to the memory of a segment, by its place in the plan of the search; answers where the bytes of the answer are, in
 * scratch.
 */
export declare function exchange(segment: u32, request: usize, length: u32): usize;

/** Reads bytes of the file of a segment, by its id, to an address. */
export declare function readBlock(segment: u32, offset: f64, length: u32, at: usize): void;

/** Throws: stored documents of a segment are damaged. */
export declare function refuseDamaged(segment: u32): void;
