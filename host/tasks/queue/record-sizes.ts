const CHUNK = 1024;

/** Sizes of records by uid, and their sum: four bytes per record. */
export class RecordSizes {
  readonly #chunks: (Uint32Array | undefined)[] = [];
  total = 0;

  set(uid: number, bytes: number): void {
    const place = Math.floor(uid / CHUNK);
    this.#chunks[place] ??= new Uint32Array(CHUNK);
    const chunk = this.#chunks[place];
    this.total += bytes - chunk[uid % CHUNK]!;
    chunk[uid % CHUNK] = bytes;
  }

  remove(uid: number): void {
    if (this.#chunks[Math.floor(uid / CHUNK)]) this.set(uid, 0);
  }
}
