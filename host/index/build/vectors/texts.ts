import fs from 'node:fs';
import { writeAll } from '../../payloads/payload.js';
import type { Decision } from './decision.js';

/** One text to be embedded, as index threads write them for the host: a line of JSON. */
export interface TextLine {
  /** Name of the embedder. */
  embedder: string;
  hash: string;
  value: unknown;
  /** Key of the first document that has it. */
  document: string;
  /** Operations of the batch that made this document. */
  operations: readonly number[];
}

const CHUNK = 1 << 20;

/** Writes the texts of documents to a file, each once. */
export class TextWriter {
  /** Texts written. */
  count = 0;
  readonly #fd: number;
  readonly #seen = new Set<string>();
  #lines: string[] = [];
  #length = 0;

  constructor(readonly file: string) {
    this.#fd = fs.openSync(file, 'w');
  }

  add(document: string, decisions: readonly Decision[], operations: readonly number[]): void {
    for (const { embedder, texts } of decisions) {
      for (const { text, hash } of texts) {
        if (this.#seen.has(hash)) continue;
        this.#seen.add(hash);
        this.count++;
        const line: TextLine = { embedder: embedder.name, hash, value: text.value, document, operations };
        this.#lines.push(`${JSON.stringify(line)}\n`);
        this.#length += (this.#lines.at(-1) as string).length;
        if (this.#length > CHUNK) this.#flush();
      }
    }
  }

  close(): void {
    this.#flush();
    fs.closeSync(this.#fd);
  }

  #flush(): void {
    writeAll(this.#fd, Buffer.from(this.#lines.join('')));
    this.#lines = [];
    this.#length = 0;
  }
}

export async function* readTexts(file: string): AsyncGenerator<TextLine> {
  // not by readline, which ends lines at U+2028 too
  let rest = '';
  for await (const chunk of fs.createReadStream(file, { encoding: 'utf8', highWaterMark: CHUNK })) {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() as string;
    for (const line of lines) yield JSON.parse(line) as TextLine;
  }
}
