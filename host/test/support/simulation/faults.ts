import { ApiError } from '../../../../bindings/errors.js';
import type { SeededRandom } from '../../../../bindings/test/random.js';

/** The disk of the simulation fails. */
export class SimulatedFault extends ApiError {
  constructor() {
    super('io_error', 'the disk is broken');
  }
}

/** Decides what fails. */
export class Faults {
  /** Nothing fails any more. */
  calm = false;

  constructor(private readonly random: SeededRandom) {}

  /** Once in `often` times. */
  strike(often: number): boolean {
    return !this.calm && this.random.int(often) === 0;
  }

  /** @throws {SimulatedFault} */
  maybe(often: number): void {
    if (this.strike(often)) throw new SimulatedFault();
  }
}
