import type { SeededRandom } from '../../../../bindings/test/random.js';
import { DoubtfulWrite } from '../../../storage/errors.js';
import type { LedgerWrite } from '../../../storage/ledger/ledger.js';
import { type Faults, SimulatedFault } from './faults.js';
import type { Steps } from './steps.js';

/** One write in this many fails, and one in this many has an unknown outcome. */
const FAILS = 25;
const IS_DOUBTFUL = 60;

/** What outlives the process: the entries of the ledger. */
export class Disk {
  readonly entries = new Map<string, Buffer>();
  /** Called for every write that is applied. */
  onWrite: (operations: readonly LedgerWrite[]) => void = () => {};

  apply(operations: readonly LedgerWrite[]): void {
    for (const { type, key, value } of operations) {
      if (type === 'put') this.entries.set(key, value!);
      else this.entries.delete(key);
    }
    this.onWrite(operations);
  }

  *under(prefix: string): Generator<[string, Buffer]> {
    for (const key of [...this.entries.keys()].filter((key) => key.startsWith(prefix)).sort()) {
      yield [key, this.entries.get(key)!];
    }
  }
}

/** The calls of the ledger that the queue and the scheduler make, over a disk of which a seed decides when it answers, and how. */
export class SimulatedLedger {
  constructor(
    private readonly disk: Disk,
    private readonly steps: Steps,
    private readonly faults: Faults,
    private readonly random: SeededRandom,
  ) {}

  get(key: string): Promise<Buffer | null> {
    const read = () => this.disk.entries.get(key) ?? null;
    return this.random.int(4) === 0 ? this.steps.take(read) : Promise.resolve(read());
  }

  write(operations: LedgerWrite[]): Promise<void> {
    const apply = () => this.disk.apply(operations);
    const run = () => {
      this.faults.maybe(FAILS);
      if (this.faults.strike(IS_DOUBTFUL)) {
        if (this.random.int(2) === 0) apply();
        throw new DoubtfulWrite(new SimulatedFault());
      }
      apply();
    };
    return this.steps.take(run, apply);
  }

  commit(operations: LedgerWrite[]): Promise<void> {
    return this.write(operations);
  }

  holds(operations: LedgerWrite[]): Promise<boolean> {
    const last = new Map(operations.map((operation) => [operation.key, operation]));
    const isThere = ({ type, key, value }: LedgerWrite) => {
      const found = this.disk.entries.get(key);
      return type === 'put' ? found?.equals(value!) === true : found === undefined;
    };
    return this.steps.take(() => {
      this.faults.maybe(2);
      return [...last.values()].every(isThere);
    });
  }

  async *iterate(prefix: string): AsyncGenerator<[string, Buffer]> {
    yield* this.disk.under(prefix);
  }

  async compact(): Promise<void> {}
}
