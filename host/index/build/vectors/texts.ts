import fs from 'node:fs';
import { writeAll } from '../../payloads/payload.js';
import type { Decision } from './decision.js';

/** A document that has a text, as far as errors name it. */
export interface TextOwner {
  document: string;
  /** Operations of the batch that made this document. */
  operations: readonly number[];
  /** Of its entries in `_vectors` one under a name that is no embedder's, but nearly that of this one. */
  meant?: string;
}

/** One text to be embedded, as index threads write them for the host: a line of JSON. It names the first document that has it. */
export interface TextLine extends TextOwner {
  /** Name of the embedder. */
  embedder: string;
  hash: string;
  value: unknown;
}

/** A further document of a text that was written before. */
interface FurtherOwner extends TextOwner {
  hash: string;
}

const CHUNK = 1 << 20;

/** Writes the texts of documents to a file, each once, and which other documents have it. */
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

/** The texts of a file. */
export async function* readTexts(file: string): AsyncGenerator<TextLine> {
  for await (const line of readLines(file)) if ('value' in line) yield line;
}

/** The documents that have one of some texts, by its hash, in the order in which they were written. */
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
  // not by readline, which ends lines at U+2028 too
  let rest = '';
  for await (const chunk of fs.createReadStream(file, { encoding: 'utf8', highWaterMark: CHUNK })) {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() as string;
    for (const line of lines) yield JSON.parse(line) as TextLine | FurtherOwner;
  }
}
