const encoder = new TextEncoder();

/** Writes u32 values and lists of texts (u32 count, then u32 length and UTF-8 bytes of each). */
export class ListWriter {
  readonly #parts: Uint8Array[] = [];

  u32(value: number): void {
    this.#parts.push(new Uint8Array(new Uint32Array([value]).buffer));
  }

  texts(list: readonly string[]): void {
    this.u32(list.length);
    for (const text of list) this.text(text);
  }

  text(text: string): void {
    this.bytes(encoder.encode(text));
  }

  bytes(bytes: Uint8Array): void {
    this.u32(bytes.length);
    this.#parts.push(bytes);
  }

  finish(): Uint8Array {
    const bytes = new Uint8Array(this.#parts.reduce((sum, part) => sum + part.length, 0));
    let at = 0;
    for (const part of this.#parts) {
      bytes.set(part, at);
      at += part.length;
    }
    return bytes;
  }
}
