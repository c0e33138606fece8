import fs from 'node:fs';
import { writeAll } from '../../payloads/payload.js';
import type { WantedText } from './decision.js';
import type { IndexEmbedder } from './embedders.js';
import { type PlannedText, TextPlanWriter } from './text-plan.js';

/** A text to be embedded, as index threads write it for the host. Texts are numbered in the order in which they are written. */
export interface TextLine {
  /** Number of the text. */
  text: number;
  /** Number of the embedder in the settings of the index. */
  embedder: number;
  /** See {@link IndexEmbedder.hash}. */
  hash: string;
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

/** A text before it: u32 embedder, u32 kind, u32 bytes, u8[16] hash; then its UTF-8. All little-endian. */
const HASH_AT = 3 * Uint32Array.BYTES_PER_ELEMENT;
const HEAD_BYTES = HASH_AT + 16;
const KINDS = { string: 0, json: 1 };
const CHUNK = 1 << 20;

/** The files of the texts of a batch, and of what becomes of them, by the prefix of their names. */
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
  readonly #chunk = Buffer.allocUnsafeSlow(CHUNK);
  #length = 0;

  constructor(file: string) {
    this.#fd = fs.openSync(file, 'w');
  }

  /** Room for bytes that the caller writes at once. */
  room(bytes: number): Buffer {
    if (this.#length + bytes > CHUNK) this.#flush();
    const room = this.#chunk.subarray(this.#length, this.#length + bytes);
    this.#length += bytes;
    return room;
  }

  text(text: string, bytes = Buffer.byteLength(text)): void {
    if (bytes <= CHUNK) {
      this.room(bytes).write(text);
      return;
    }
    this.#flush();
    writeAll(this.#fd, Buffer.from(text));
  }

  close(): void {
    this.#flush();
    fs.closeSync(this.#fd);
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
  readonly #numbers = new Map<string, number>();

  /** @param prefix see {@link embeddingFiles} */
  constructor(
    prefix: string,
    private readonly embedders: readonly IndexEmbedder[],
  ) {
    const { texts, owners, plan } = embeddingFiles(prefix);
    this.#texts = new ChunkedFile(texts);
    this.#owners = new ChunkedFile(owners);
    this.#plan = new TextPlanWriter(plan, embedders.length);
  }

  /**
   * @param document its number: see {@link TextPlanWriter}
   * @param wanted by embedder; null: nothing changes there
   * @param owner by the number of an embedder
   */
  add(document: number, wanted: readonly (readonly WantedText[] | null)[], owner: (embedder: number) => TextOwner): void {
    const planned = wanted.map((texts, place) => {
      if (!texts) return null;
      let said: string | null = null;
      return texts.map(({ ordinal, value, hash, isKept }): PlannedText => {
        if (isKept) return { ordinal, text: null };
        const text = this.#numbers.get(hash) ?? this.#write(this.embedders[place] as IndexEmbedder, value, hash);
        said ??= JSON.stringify(owner(place));
        this.#owners.text(`${text} ${said}\n`);
        return { ordinal, text };
      });
    });
    this.#plan.add(document, planned);
  }

  close(): void {
    this.#texts.close();
    this.#owners.close();
    this.#plan.close();
  }

  #write({ id }: IndexEmbedder, value: unknown, hash: string): number {
    const isString = typeof value === 'string';
    const text = isString ? value : JSON.stringify(value);
    const bytes = Buffer.byteLength(text);
    const head = this.#texts.room(HEAD_BYTES);
    head.writeUInt32LE(id, 0);
    head.writeUInt32LE(isString ? KINDS.string : KINDS.json, 4);
    head.writeUInt32LE(bytes, 8);
    head.write(hash, HASH_AT, 'hex');
    this.#texts.text(text, bytes);
    this.#numbers.set(hash, this.count);
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
      lines.push({
        text: count++,
        embedder: bytes.readUInt32LE(at),
        hash: bytes.toString('hex', at + HASH_AT, start),
        value: bytes.readUInt32LE(at + 4) === KINDS.json ? JSON.parse(text) : text,
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
