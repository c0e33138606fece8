const HEAD_END = '\r\n\r\n';

/** Finds the end of each answer in the bytes of a connection; bodies are counted, not kept. */
export class AnswerReader {
  #head: Buffer = Buffer.alloc(0);
  /** Remaining bytes of the body; null while the head is read. */
  #left: number | null = null;
  #chunked = false;
  #status = 0;

  constructor(private readonly answered: (status: number) => void) {}

  push(data: Buffer): void {
    let rest = data;
    while (rest.length > 0) {
      if (this.#left === null) rest = this.#readHead(rest);
      else if (this.#chunked) rest = this.#readChunk(rest);
      else rest = this.#skip(rest);
    }
  }

  #readHead(data: Buffer): Buffer {
    this.#head = this.#head.length === 0 ? data : Buffer.concat([this.#head, data]);
    const end = this.#head.indexOf(HEAD_END);
    if (end < 0) return Buffer.alloc(0);
    const head = this.#head.toString('latin1', 0, end).toLowerCase();
    const rest = this.#head.subarray(end + HEAD_END.length);
    this.#head = Buffer.alloc(0);
    this.#status = Number(head.slice(9, 12));
    this.#chunked = /\r\ntransfer-encoding: chunked/.test(head);
    this.#left = Number(/\r\ncontent-length: (\d+)/.exec(head)?.[1] ?? 0);
    if (!this.#chunked && this.#left === 0) this.#finish();
    return rest;
  }

  #skip(data: Buffer): Buffer {
    const taken = Math.min(this.#left as number, data.length);
    this.#left = (this.#left as number) - taken;
    if (this.#left === 0) this.#finish();
    return data.subarray(taken);
  }

  /** A chunk is its length in hex, a line end, its bytes, a line end; the one of length 0 is the last. */
  #readChunk(data: Buffer): Buffer {
    const left = this.#left as number;
    if (left > 0) {
      const taken = Math.min(left, data.length);
      this.#left = left - taken;
      return data.subarray(taken);
    }
    this.#head = Buffer.concat([this.#head, data]);
    const line = /^(?:\r\n)?([0-9a-f]+)[^\r]*\r\n/i.exec(this.#head.toString('latin1', 0, 64));
    if (!line) return Buffer.alloc(0);
    const size = Number.parseInt(line[1] as string, 16);
    const after = this.#head.subarray(line[0].length);
    if (size === 0 && after.length < 2) return Buffer.alloc(0);
    this.#head = Buffer.alloc(0);
    if (size > 0) {
      this.#left = size;
      return after;
    }
    this.#finish();
    return after.subarray(2);
  }

  #finish(): void {
    this.#left = null;
    this.answered(this.#status);
  }
}
