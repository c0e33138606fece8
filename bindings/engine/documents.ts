import { ApiError } from '../errors.js';
import { DocumentCache } from './document-cache.js';
import type { EngineInstance } from './instance.js';

/** The file of a segment. */
export interface BlockSource {
  /** Fills `into` with `length` bytes from `offset` of the file. */
  read(offset: number, length: number, into: Uint8Array): void;
}

/** Most bytes that a block and its compressed form take where blocks usually are decompressed. */
const ROOM_BYTES = 48 << 10;
/** The codec reads and writes in steps of so many bytes. */
const CODEC_STEP = 16;
/** Bytes of an entry of the table at the head of a block. */
const ENTRY = 4;

/** What an instance keeps of the documents that it has read. */
class ReadDocuments {
  readonly cache = new DocumentCache();
  /** The block that was decompressed last, and up to which of its documents. */
  segment = -1;
  block = -1;
  upTo = -1;
  /** Bytes of it. */
  length = 0;
  /** {@link ROOM_BYTES} in the persistent memory of the instance: the block is at their beginning. */
  #room = 0;

  constructor(readonly instance: EngineInstance) {}

  /** Address of so many bytes, the same ones each time; 0 when they are too many or there is no room. */
  room(bytes: number): number {
    const { instance } = this;
    this.block = -1;
    if (bytes > ROOM_BYTES) return 0;
    if (this.#room === 0) {
      this.#room = instance.exports.allocPersistent(ROOM_BYTES);
    }
    return this.#room;
  }

  /** Is document number `index` of a block there already? */
  has(segment: number, block: number, index: number): boolean {
    return this.block === block && this.segment === segment && this.upTo >= index;
  }

  get raw(): Uint8Array {
    return this.instance.bytes.subarray(this.#room, this.#room + this.length);
  }
}

const all = new WeakMap<EngineInstance, ReadDocuments>();

function readDocumentsOf(instance: EngineInstance): ReadDocuments {
  let read = all.get(instance);
  if (!read) {
    read = new ReadDocuments(instance);
    all.set(instance, read);
  }
  return read;
}

/** Reads the stored JSON of documents of one open segment. Readers are cheap; documents read of late are kept by instance. */
export class DocumentReader {
  readonly #read: ReadDocuments;

  constructor(
    readonly instance: EngineInstance,
    /** Address of the SegmentView. */
    readonly view: number,
    readonly source: BlockSource,
    /** Unique among the segments that the process opens. */
    readonly segmentId: number,
  ) {
    this.#read = readDocumentsOf(instance);
  }

  /** JSON bytes of the document with a local number: a copy. */
  get(local: number): Uint8Array {
    return this.see(local).slice();
  }

  /** The same for several documents, in the order asked for. */
  getMany(locals: number[]): Uint8Array[] {
    return locals.map((local) => this.get(local));
  }

  /** JSON bytes of the document with a local number, valid until the next document is read. */
  see(local: number): Uint8Array {
    const { cache } = this.#read;
    const known = cache.find(this.segmentId, local);
    if (known) return known;
    const json = this.#decompress(local);
    cache.keep(this.segmentId, local, json);
    return json;
  }

  #decompress(local: number): Uint8Array {
    const { instance, view, segmentId } = this;
    const read = this.#read;
    const block = instance.exports.documentBlock(view, local);
    const index = local - instance.exports.documentBlockFirst(view, block);
    if (read.has(segmentId, block, index)) return cut(read.raw, index);
    // most blocks are read for one document: what comes after it is decompressed only when another one is asked for
    const upTo = read.segment === segmentId && read.block === block ? WHOLE : index;
    const length = instance.exports.documentBlockLength(view, block);
    const rawLength = instance.exports.documentBlockRaw(view, block);
    const bytes = rawLength + length + 2 * CODEC_STEP;
    const room = read.room(bytes);
    const decode = (at: number) => this.#decode(block, upTo, { at, rawLength, length });
    if (room === 0) return instance.scoped(() => cut(decode(instance.alloc(bytes)), index).slice());
    const raw = decode(room);
    Object.assign(read, { segment: segmentId, block, upTo, length: raw.length });
    return cut(raw, index);
  }

  /**
   * Reads a block of `length` bytes and decompresses it at an address up to the end of a document: u32 starts of its documents, then
   * these, all of them `rawLength` bytes.
   */
  #decode(block: number, upTo: number, { at, rawLength, length }: { at: number; rawLength: number; length: number }): Uint8Array {
    const { instance, view } = this;
    const packed = at + rawLength + CODEC_STEP;
    const offset = instance.exports.documentBlockOffset(view, block);
    this.source.read(offset, length, instance.bytes.subarray(packed, packed + length));
    const written = instance.exports.documentsDecode(packed, length, at, rawLength, upTo);
    if (written < 0)
      throw new ApiError('io_error', `Documents of segment ${this.segmentId} are damaged: \`peregrine check\` says more.`);
    return instance.bytes.subarray(at, at + written);
  }
}

/** No document of a block has this number. */
const WHOLE = 0xffffffff;

/** Document number `index` of a block. */
function cut(block: Uint8Array, index: number): Uint8Array {
  const entry = index * ENTRY;
  return block.subarray(start(block, entry), start(block, entry + ENTRY));
}

/** A u32 at an address that need not be aligned. */
function start(bytes: Uint8Array, at: number): number {
  const [a, b, c, d] = [bytes[at] as number, bytes[at + 1] as number, bytes[at + 2] as number, bytes[at + 3] as number];
  return a + b * 0x100 + c * 0x10000 + d * 0x1000000;
}
