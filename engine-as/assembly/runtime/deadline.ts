/** The deadline of the current job, which loops over many documents or values check at intervals. */
import { now } from './env';

/** Documents or values between two checks of the clock: well below a millisecond. */
export const CHECK_EVERY: u32 = 8192;

// On the host's clock; one per instance, which does one job at a time.
let deadline: f64 = Infinity;

export function setDeadline(time: f64): void {
  deadline = time;
}

export function isTimeOver(): bool {
  return now() > deadline;
}
