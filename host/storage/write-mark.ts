import fs from 'node:fs';
import type { LedgerWrite, Store } from './store.js';

/** Writes that are told apart; more than the log of RocksDB usually holds (4 MB). A multiple of 8. */
const SLOTS = 1024;
const NUMBER_BYTES = 8;
const HALF = NUMBER_BYTES + SLOTS / 8;
const KEYS = { gte: 'mark/', lt: 'mark0' };

/** The ledger lacks what was acknowledged. */
export class LedgerLoss extends Error {
  constructor(
    readonly lost: number,
    acknowledged: number,
  ) {
    super(
      `its ledger has lost ${lost} of the ${acknowledged} writes that it had taken: a file of it is damaged, was cut, or is older than the others`,
    );
  }
}

/**
 * Which of the newest synced writes the ledger has taken: in the ledger, each in a key of its own, and in a file beside it. RocksDB opens a log
 * that was cut or damaged without an error, as if what it cannot read had never been written; the file then knows of more writes than the
 * ledger does.
 *
 *   | newest write f64 | bit n % SLOTS: write n has ended | the same bytes inverted |   little-endian
 *
 * The file is written after the ledger is on disk and is not synced itself: it may be behind, and never ahead. Bytes that do not fit
 * each other, of a write that was torn, tell nothing.
 */
export class WriteMark {
  /** What stands in the file, or is to. */
  readonly #bytes = Buffer.alloc(2 * HALF);
  /** Number of the newest write that was begun. */
  #begun = 0;
  #fd: number | null = null;

  constructor(private readonly file: string) {}

  /**
   * Takes up the numbers of a store.
   * @param asItIs whatever it lacks
   * @throws {LedgerLoss} when it lacks writes that the file knows of
   */
  async begin(store: Store, asItIs: boolean): Promise<void> {
    const numbers = await numbersIn(store);
    const known = Math.max(0, ...numbers);
    const stored = fs.existsSync(this.file) ? fs.readFileSync(this.file) : Buffer.alloc(0);
    this.#begun = known;
    if (asItIs) {
      this.#bytes.fill(0);
      this.#store(known);
    } else if (isWhole(stored)) {
      const newest = stored.readDoubleLE();
      const lost = lostOf(stored, newest, numbers);
      if (lost > 0) throw new LedgerLoss(Math.max(lost, newest - known), newest);
      if (newest === known) stored.copy(this.#bytes);
    }
  }

  /** Numbers a write; {@link end} is to be called when it is on disk. */
  next(): { entry: LedgerWrite; number: number } {
    const number = ++this.#begun;
    const slot = number % SLOTS;
    this.#bytes[NUMBER_BYTES + (slot >> 3)]! &= ~(1 << (slot & 7));
    const value = Buffer.alloc(NUMBER_BYTES);
    value.writeDoubleLE(number);
    return { entry: { type: 'put', key: KEYS.gte + slot, value }, number };
  }

  end(number: number): void {
    const slot = number % SLOTS;
    this.#bytes[NUMBER_BYTES + (slot >> 3)]! |= 1 << (slot & 7);
    this.#store(Math.max(number, this.#bytes.readDoubleLE()));
  }

  close(): void {
    if (this.#fd !== null) fs.closeSync(this.#fd);
    this.#fd = null;
  }

  /** A disk that refuses leaves the file behind. */
  #store(newest: number): void {
    this.#bytes.writeDoubleLE(newest);
    for (let i = 0; i < HALF; i++) this.#bytes[HALF + i] = ~this.#bytes[i]!;
    try {
      this.#fd ??= fs.openSync(this.file, fs.constants.O_RDWR | fs.constants.O_CREAT, 0o644);
      fs.writeSync(this.#fd, this.#bytes, 0, this.#bytes.length, 0);
    } catch {
      // the next write will tell
    }
  }
}

/** The newest number of each slot; 0 where there is none. */
async function numbersIn(store: Store): Promise<number[]> {
  const numbers = new Array<number>(SLOTS).fill(0);
  const entries = store.entries(KEYS);
  for (let entry = await entries.next(); entry; entry = await entries.next()) {
    const number = entry[1].readDoubleLE();
    numbers[number % SLOTS] = number;
  }
  await entries.end();
  return numbers;
}

/** How many writes that have ended a store lacks. */
function lostOf(mark: Buffer, newest: number, numbers: readonly number[]): number {
  let lost = 0;
  for (let number = Math.max(1, newest - SLOTS + 1); number <= newest; number++) {
    const slot = number % SLOTS;
    const hasEnded = ((mark[NUMBER_BYTES + (slot >> 3)]! >> (slot & 7)) & 1) === 1;
    if (hasEnded && numbers[slot]! < number) lost++;
  }
  return lost;
}

function isWhole(bytes: Buffer): boolean {
  return bytes.length === 2 * HALF && bytes.subarray(0, HALF).every((byte, i) => bytes[HALF + i] === (~byte & 0xff));
}
