import fs from 'node:fs';
import type { LedgerWrite, Store } from './store.js';

/** Number of writes that are tracked: more than RocksDB's log (4 MB) usually holds. A multiple of 8. */
const SLOTS = 1024;
const NUMBER_BYTES = 8;
const HALF = NUMBER_BYTES + SLOTS / 8;
const KEYS = { gte: 'mark/', lt: 'mark0' };

/** The ledger lacks acknowledged writes. */
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
 * Detects lost writes. The newest synced writes are numbered, both in the ledger, each under a key of its own, and in a file beside
 * it. RocksDB opens a log that was truncated or damaged without an error and silently drops the unreadable writes; the file then has
 * more writes than the ledger.
 *
 *   | newest write f64 | bit n % SLOTS: write n has ended | the same bytes inverted |   little-endian
 *
 * The file is written after the ledger has been synced, and is not synced itself: it may lag behind but never run ahead. If the two
 * halves do not match, a write was torn and the file is ignored.
 */
export class WriteMark {
  /** The content of the file. */
  readonly #bytes = Buffer.alloc(2 * HALF);
  /** Number of the newest write that was started. */
  #begun = 0;
  #fd: number | null = null;

  constructor(private readonly file: string) {}

  /**
   * Continues the numbering of a store.
   * @param asItIs ignores lost writes
   * @throws {LedgerLoss} when the store lacks writes that the file contains
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

  /** @throws {LedgerLoss} when a store that was opened again lacks writes that have ended */
  async check(store: Store): Promise<void> {
    const newest = this.#bytes.readDoubleLE();
    const lost = lostOf(this.#bytes, newest, await numbersIn(store));
    if (lost > 0) throw new LedgerLoss(lost, newest);
  }

  /** Numbers a write; {@link end} must be called when it is on disk. */
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

  /** If the disk refuses, the file lags behind. */
  #store(newest: number): void {
    this.#bytes.writeDoubleLE(newest);
    for (let i = 0; i < HALF; i++) this.#bytes[HALF + i] = ~this.#bytes[i]!;
    try {
      this.#fd ??= fs.openSync(this.file, fs.constants.O_RDWR | fs.constants.O_CREAT, 0o644);
      fs.writeSync(this.#fd, this.#bytes, 0, this.#bytes.length, 0);
    } catch {
      // The next write tries again.
    }
  }
}

/** The newest number of each slot; 0 for unused slots. */
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

/** The number of completed writes that a store lacks. */
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
