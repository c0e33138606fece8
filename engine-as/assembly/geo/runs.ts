/** Shapes as runs of positions, one after the other. */

/** Kinds of runs. The holes of a polygon follow its outer ring; rings are closed, whether or not they repeat their first position. */
export const RUN_POINT: u32 = 0;
export const RUN_LINE: u32 = 1;
export const RUN_RING: u32 = 2;
export const RUN_HOLE: u32 = 3;

/** A longitude and a latitude, f64 each, in degrees. */
export const POSITION_BYTES: usize = 16;

@unmanaged
export class Run {
  /** RUN_* */
  kind: u32;
  count: u32;
  // the positions follow

  get positions(): usize {
    return changetype<usize>(this) + offsetof<Run>();
  }

  x(index: u32): f64 {
    return load<f64>(this.positions + <usize>index * POSITION_BYTES);
  }

  y(index: u32): f64 {
    return load<f64>(this.positions + <usize>index * POSITION_BYTES, 8);
  }

  get next(): Run {
    return changetype<Run>(this.positions + <usize>this.count * POSITION_BYTES);
  }
}
