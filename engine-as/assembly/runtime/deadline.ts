/** When the work at hand has to end: what goes through very many documents or values looks at it now and then. */
import { now } from './env';

/** Documents or values from one look at the clock to the next: well below a millisecond. */
export const LOOK_EVERY: u32 = 8192;

// by the clock of the host; of the instance: it does one work at a time
let deadline: f64 = Infinity;

export function setDeadline(time: f64): void {
  deadline = time;
}

export function isTimeOver(): bool {
  return now() > deadline;
}
