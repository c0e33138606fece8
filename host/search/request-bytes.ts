import { readText } from '../../bindings/engine/utf8.js';
import { KnownTexts } from '../../bindings/query/known-texts.js';
import { FEATURES } from '../options/features.js';
import type { SearchCall } from './call.js';

/**
 * A request as bytes:
 *
 *   u32 bytes of the head · u32 bytes of its first part · u32 features, one bit each · u32 1: there is a body · f64 time of arrival ·
 *   head (kind and uid with a space between them · JSON of what else the call has, mostly nothing) · body
 */
const NAME_AT = 4;
const FEATURES_AT = 8;
const HAS_BODY_AT = 12;
const SINCE_AT = 16;
const HEAD_AT = 24;
/** Requests up to this many bytes share one buffer; longer ones are rare and get their own. */
const SHARED_BUFFER_BYTES = 1 << 16;
/** Bytes of a body that the fingerprint covers, from its beginning. */
const FINGERPRINT_BYTES = 4096;

export interface RingRequest {
  kind: string;
  uid: string;
  call: SearchCall;
  /** Time of arrival in milliseconds, on the clock shared by threads. */
  since: number;
}

/** The members of a call that most calls do not have; all are listed, because those that are not would be lost. */
const RARE: Record<Exclude<keyof SearchCall, 'body' | 'features' | 'metadata'>, true> = {
  query: true,
  documentId: true,
  ofMany: true,
  federated: true,
  forPeer: true,
  page: true,
  embeddings: true,
  tokenFilter: true,
  scope: true,
  remotes: true,
};
const RARE_NAMES = Object.keys(RARE) as (keyof typeof RARE)[];

/** JSON of what a call has besides its body and features; empty when that is nothing, as for most calls. */
function restOf(call: SearchCall): string {
  if (call.metadata !== true && RARE_NAMES.every((name) => call[name] === undefined)) return '';
  const { body, features, ...rest } = call;
  return JSON.stringify(rest);
}

/** A request that is to be written as bytes where a worker reads them. */
export class EncodedRequest {
  readonly #head: string;
  readonly #headBytes: number;
  readonly #nameBytes: number;
  readonly #features: number;
  readonly #since: number;
  readonly #body: Uint8Array | undefined;
  #fingerprint: number | null = null;

  /** @param client the connection that it came on */
  constructor(
    { kind, uid, call, since }: RingRequest,
    readonly client?: object,
  ) {
    const name = `${kind} ${uid}`;
    const rest = restOf(call);
    this.#head = name + rest;
    this.#headBytes = Buffer.byteLength(this.#head);
    this.#nameBytes = rest === '' ? this.#headBytes : Buffer.byteLength(name);
    this.#features = call.features ? maskOf(call.features) : 0;
    this.#since = since;
    this.#body = call.body;
  }

  get length(): number {
    return HEAD_AT + this.#headBytes + (this.#body?.length ?? 0);
  }

  /** A hash, equal for equal requests. */
  get fingerprint(): number {
    if (this.#fingerprint === null) {
      const bytes = hashed(Buffer.from(this.#head), HASH_BEGIN);
      this.#fingerprint = this.#body ? hashed(this.#body, bytes ^ this.#body.length) : bytes;
    }
    return this.#fingerprint;
  }

  write(into: Buffer): number {
    into.writeUInt32LE(this.#headBytes);
    into.writeUInt32LE(this.#nameBytes, NAME_AT);
    into.writeUInt32LE(this.#features, FEATURES_AT);
    into.writeUInt32LE(this.#body ? 1 : 0, HAS_BODY_AT);
    into.writeDoubleLE(this.#since, SINCE_AT);
    into.write(this.#head, HEAD_AT);
    if (this.#body) into.set(this.#body, HEAD_AT + this.#headBytes);
    return this.length;
  }
}

const HASH_BEGIN = 0x811c9dc5;
const HASH_FACTOR = 0x01000193;

/** FNV-1a, 32 bits. */
function hashed(bytes: Uint8Array, begin: number): number {
  let hash = begin;
  const end = Math.min(bytes.length, FINGERPRINT_BYTES);
  for (let at = 0; at < end; at++) hash = Math.imul(hash ^ bytes[at]!, HASH_FACTOR);
  return hash;
}

/** The buffer to which requests are copied from shared memory. */
const room = new Uint8Array(SHARED_BUFFER_BYTES);
const roomView = new DataView(room.buffer);
/** Kinds and uids. */
const names = new KnownTexts();

/** Decodes a request written by another thread; its body is valid until the next call. */
export function decodeRequest(shared: Uint8Array): RingRequest {
  const isLong = shared.length > SHARED_BUFFER_BYTES;
  // `slice` of a Buffer would share the memory; that of a Uint8Array copies.
  const bytes = isLong ? Uint8Array.prototype.slice.call(shared) : room;
  const view = isLong ? new DataView(bytes.buffer) : roomView;
  if (!isLong) room.set(shared);
  const bodyStart = HEAD_AT + view.getUint32(0, true);
  const nameEnd = HEAD_AT + view.getUint32(NAME_AT, true);
  const name = names.textOf(bytes, HEAD_AT, nameEnd);
  const space = name.indexOf(' ');
  const call: SearchCall = nameEnd === bodyStart ? {} : JSON.parse(readText(bytes, nameEnd, bodyStart));
  call.features = featuresOf(view.getUint32(FEATURES_AT, true));
  if (view.getUint32(HAS_BODY_AT, true)) call.body = bytes.subarray(bodyStart, shared.length);
  return { kind: name.slice(0, space), uid: name.slice(space + 1), call, since: view.getFloat64(SINCE_AT, true) };
}

type Flags = Readonly<Record<string, boolean>>;

/** Cache of feature bits: features change far less often than requests arrive. */
const MASKS = new WeakMap<Flags, number>();
const FLAGS = new Map<number, Flags>();

function maskOf(features: Flags): number {
  let mask = MASKS.get(features);
  if (mask === undefined) {
    mask = FEATURES.reduce((bits, name, bit) => (features[name] ? bits | (1 << bit) : bits), 0);
    MASKS.set(features, mask);
  }
  return mask;
}

function featuresOf(mask: number): Flags {
  let flags = FLAGS.get(mask);
  if (flags === undefined) {
    flags = Object.freeze(Object.fromEntries(FEATURES.map((name, bit) => [name, (mask & (1 << bit)) !== 0])));
    FLAGS.set(mask, flags);
  }
  return flags;
}
