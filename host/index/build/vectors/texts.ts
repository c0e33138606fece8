import fs from 'node:fs';
import { writeAll } from '../../payloads/payload.js';
import type { Decision } from './decision.js';

/** A document that contains a text, for error messages. */
export interface TextOwner {
  document: string;
  /** Operations of the batch that contributed to the document. */
  operations: readonly number[];
  /** A name in `_vectors` of the document that differs from the embedder's by a likely typo. */
  meant?: string;
}

/**
 * A text to be embedded, as index threads write it for the host: one line of JSON. It names the first document that contains it.
 */
export interface TextLine extends TextOwner {
  /** Name of the embedder. */
  embedder: string;
  hash: string;
  value: unknown;
}

/** A further document with a text that was already written. */
interface FurtherOwner extends TextOwner {
  hash: string;
}

const CHUNK = 1 << 20;

/** Writes texts to a file, each once, and records the other documents that contain it. */
export class TextWriter {
  /** Number of texts written. */
  count = 0;
  readonly #fd: number;
  readonly #seen = new Set<string>();
  #lines: string[] = [];
  #length = 0;

  constructor(readonly file: string) {
    this.#fd = fs.openSync(file, 'w');
  }

  add(document: string, decisions: readonly Decision[], operations: readonly number[]): void {
    for (const { embedder, texts, meant } of decisions) {
      const owner: TextOwner = { document, operations, ...(meant ? { meant } : {}) };
      for (const { text, hash } of texts) {
        if (this.#seen.has(hash)) this.#write({ hash, ...owner } satisfies FurtherOwner);
        else {
          this.#seen.add(hash);
          this.count++;
          this.#write({ embedder: embedder.name, hash, value: text.value, ...owner } satisfies TextLine);
        }
      }
    }
  }

  #write(line: object): void {
    this.#lines.push(`${JSON.stringify(line)}\n`);
    this.#length += (this.#lines.at(-1) as string).length;
    if (this.#length > CHUNK) this.#flush();
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

/** Reads the texts of a file. */
export async function* readTexts(file: string): AsyncGenerator<TextLine> {
  for await (const line of readLines(file)) if ('value' in line) yield line;
}

/** By hash of a text: the documents that contain it, in the order in which they were written. */
export async function ownersOf(file: string, hashes: ReadonlySet<string>): Promise<Map<string, TextOwner[]>> {
  const owners = new Map<string, TextOwner[]>();
  for await (const line of readLines(file)) {
    if (!hashes.has(line.hash)) continue;
    const known = owners.get(line.hash);
    if (known) known.push(line);
    else owners.set(line.hash, [line]);
  }
  return owners;
}

async function* readLines(file: string): AsyncGenerator<TextLine | FurtherOwner> {
  // The module readline would also split lines at U+2028.
  let rest = '';
  for await (const chunk of fs.createReadStream(file, { encoding: 'utf8', highWaterMark: CHUNK })) {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() as string;
    for (const line of lines) yield JSON.parse(line) as TextLine | FurtherOwner;
  }
}
