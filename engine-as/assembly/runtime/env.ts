/** The functions that the host provides. */

/** A monotonic clock in milliseconds. */
export declare function now(): f64;

/** Sends a request to the memory of a segment, by its number in the plan; returns the address of the answer in scratch memory. */
export declare function exchange(segment: u32, request: usize, length: u32): usize;

/** Reads bytes of a segment's file, by the segment's id, to an address. */
export declare function readBlock(segment: u32, offset: f64, length: u32, at: usize): void;

/** Throws: stored documents of a segment are damaged. */
export declare function refuseDamaged(segment: u32): void;

/** Takes bytes of the segment file that is being built, which belong at an offset; they are only valid during the call. */
export declare function writeFile(bytes: usize, length: u32, offset: f64): void;
