import fs from 'node:fs';
import { writeAll } from '../../../storage/file-writer.js';
import type { WantedText } from './decision.js';
import { formOf, type IndexEmbedder } from './embedders.js';
import { TextPlanWriter } from './text-plan.js';

/** A text to be embedded, as index threads write it for the host. Texts are numbered in the order in which they are written. */
export interface TextLine {
  /** Number of the text. */
  text: number;
  /** Number of the embedder in the settings of the index. */
  embedder: number;
  /** See {@link IndexEmbedder.hash}; null: its vector is not kept. */
  hash: string | null;
  /** Length in UTF-8. */
  bytes: number;
  /** A string; for a fragment any JSON value. */
  value: unknown;
}

/** A document that contains a text, for error messages. */
export interface TextOwner {
  document: string;
  /** Operations of the batch that contributed to the document. */
  operations: readonly number[];
  /** A name in `_vectors` of the document that differs from the embedder's by a likely typo. */
  meant?: string;
}

/**
 * What precedes a text in the file: u32 embedder, u32 kind, u32 bytes, u8[16] hash (zeros: none), all little-endian. The text
 * follows in UTF-8.
 */
const HASH_AT = 3 * Uint32Array.BYTES_PER_ELEMENT;
const HEAD_BYTES = HASH_AT + 16;
const KINDS = { string: 0, json: 1, unhashedString: 2, unhashedJson: 3 };
/** Most bytes of UTF-8 per UTF-16 unit. */
const MAX_UNIT_BYTES = 3;
const CHUNK = 1 << 20;

/** The files of the texts of a batch, their owners, plan and vectors. @param prefix of the names */
export const embeddingFiles = (prefix: string) => ({
  texts: `${prefix}-texts`,
  owners: `${prefix}-owners`,
  plan: `${prefix}-plan`,
  /** See embeddings-file.ts. */
  vectors: `${prefix}-vectors`,
});

/** A file that is written in large pieces. */
class ChunkedFile {
  readonly #fd: number;
  #chunk = Buffer.allocUnsafeSlow(CHUNK);
  #length = 0;

  constructor(file: string) {
    this.#fd = fs.openSync(file, 'w');
  }

  text(text: string): void {
    this.#reserve(text.length * MAX_UNIT_BYTES);
    this.#length += this.#chunk.write(text, this.#length);
  }

  /** A text after its {@link HEAD_BYTES}. */
  record(embedder: number, kind: number, hash: string | null, text: string): void {
    this.#reserve(HEAD_BYTES + text.length * MAX_UNIT_BYTES);
    const [chunk, at] = [this.#chunk, this.#length];
    const bytes = chunk.write(text, at + HEAD_BYTES);
    chunk.writeUInt32LE(embedder, at);
    chunk.writeUInt32LE(kind, at + 4);
    chunk.writeUInt32LE(bytes, at + 8);
    if (hash === null) chunk.fill(0, at + HASH_AT, at + HEAD_BYTES);
    else chunk.write(hash, at + HASH_AT, 'hex');
    this.#length += HEAD_BYTES + bytes;
  }

  close(): void {
    this.#flush();
    fs.closeSync(this.#fd);
  }

  #reserve(bytes: number): void {
    if (this.#length + bytes <= this.#chunk.length) return;
    this.#flush();
    if (bytes > this.#chunk.length) this.#chunk = Buffer.allocUnsafeSlow(bytes);
  }

  #flush(): void {
    writeAll(this.#fd, this.#chunk.subarray(0, this.#length));
    this.#length = 0;
  }
}

/** Writes texts, each once, the documents that contain them, and the plan of what goes where. */
export class TextWriter {
  /** Number of texts written. */
  count = 0;
  readonly #texts: ChunkedFile;
  readonly #owners: ChunkedFile;
  readonly #plan: TextPlanWriter;
  /**
   * Numbers of the texts whose vectors are kept, by hash. Other texts are embedded as often as they occur, which costs less than
   * remembering them.
   */
  readonly #numbers = new Map<string, number>();
  readonly #isHashed: readonly boolean[];

  /** @param prefix see {@link embeddingFiles}. @param uncached names of the embedders whose vectors are not cached */
  constructor(
    prefix: string,
    private readonly embedders: readonly IndexEmbedder[],
    uncached: readonly string[],
  ) {
    const { texts, owners, plan } = embeddingFiles(prefix);
    this.#texts = new ChunkedFile(texts);
    this.#owners = new ChunkedFile(owners);
    this.#plan = new TextPlanWriter(plan, embedders.length);
    this.#isHashed = embedders.map(({ name }) => !uncached.includes(name));
  }

  /**
   * @param document its number: see {@link TextPlanWriter}
   * @param wanted by embedder; null: nothing changes there
   * @param owner by the number of an embedder
   */
  add(document: number, wanted: readonly (readonly WantedText[] | null)[], owner: (embedder: number) => TextOwner): void {
    this.#plan.begin(document);
    for (const [place, texts] of wanted.entries()) {
      this.#plan.list(texts?.length ?? null);
      let said: string | null = null;
      for (const { ordinal, value, isKept } of texts ?? []) {
        const text = isKept ? null : this.#numberOf(place, value);
        this.#plan.text(ordinal, text);
        if (text === null) continue;
        said ??= JSON.stringify(owner(place));
        this.#owners.text(`${text} ${said}\n`);
      }
    }
  }

  close(): void {
    this.#texts.close();
    this.#owners.close();
    this.#plan.close();
  }

  /** The number of a text, which is written unless it has been before. */
  #numberOf(place: number, value: unknown): number {
    const embedder = this.embedders[place] as IndexEmbedder;
    if (!this.#isHashed[place]) return this.#write(embedder, value, null);
    const hash = embedder.hash(value);
    const known = this.#numbers.get(hash);
    if (known !== undefined) return known;
    this.#numbers.set(hash, this.count);
    return this.#write(embedder, value, hash);
  }

  #write({ id }: IndexEmbedder, value: unknown, hash: string | null): number {
    const kinds = hash === null ? [KINDS.unhashedString, KINDS.unhashedJson] : [KINDS.string, KINDS.json];
    this.#texts.record(id, kinds[typeof value === 'string' ? 0 : 1] as number, hash, formOf(value));
    return this.count++;
  }
}

/** Reads the texts of a file in order, many at once. */
export async function* readTexts(file: string): AsyncGenerator<TextLine[]> {
  let rest: Buffer = Buffer.alloc(0);
  let count = 0;
  for await (const chunk of fs.createReadStream(file, { highWaterMark: CHUNK })) {
    const bytes = rest.length > 0 ? Buffer.concat([rest, chunk as Buffer]) : (chunk as Buffer);
    const lines: TextLine[] = [];
    let at = 0;
    while (at + HEAD_BYTES <= bytes.length) {
      const start = at + HEAD_BYTES;
      const end = start + bytes.readUInt32LE(at + 8);
      if (end > bytes.length) break;
      const text = bytes.toString('utf8', start, end);
      const kind = bytes.readUInt32LE(at + 4);
      lines.push({
        text: count++,
        embedder: bytes.readUInt32LE(at),
        hash: kind === KINDS.string || kind === KINDS.json ? bytes.toString('hex', at + HASH_AT, start) : null,
        bytes: end - start,
        value: kind === KINDS.json || kind === KINDS.unhashedJson ? JSON.parse(text) : text,
      });
      at = end;
    }
    rest = bytes.subarray(at);
    yield lines;
  }
}

/** By number of a text: the documents that contain it, in their order. */
export async function ownersOf(file: string, texts: ReadonlySet<number>): Promise<Map<number, TextOwner[]>> {
  const owners = new Map<number, TextOwner[]>([...texts].map((text) => [text, []]));
  // The module readline would also split lines at U+2028.
  let rest = '';
  for await (const chunk of fs.createReadStream(file, { encoding: 'utf8', highWaterMark: CHUNK })) {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() as string;
    for (const line of lines) {
      const end = line.indexOf(' ');
      owners.get(Number(line.slice(0, end)))?.push(JSON.parse(line.slice(end + 1)));
    }
  }
  return owners;
}
