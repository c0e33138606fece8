import type { SearchCall } from '../index/types.js';

/**
 * A request as bytes: u32 length of the head · head (JSON of all but the body) · body.
 */
const HEAD_START = 4;

export interface RingRequest {
  kind: string;
  uid: string;
  call: SearchCall;
}

function headOf({ kind, uid, call }: RingRequest): Buffer {
  const { body, ...rest } = call;
  return Buffer.from(JSON.stringify({ kind, uid, call: rest, hasBody: body !== undefined }));
}

/** Bytes of a request in one buffer, to be copied to where a worker reads it. */
export class EncodedRequest {
  readonly #head: Buffer;
  readonly #body: Uint8Array;

  constructor(request: RingRequest) {
    this.#head = headOf(request);
    this.#body = request.call.body ?? new Uint8Array(0);
  }

  get length(): number {
    return HEAD_START + this.#head.length + this.#body.length;
  }

  write(into: Uint8Array): number {
    new DataView(into.buffer, into.byteOffset).setUint32(0, this.#head.length, true);
    into.set(this.#head, HEAD_START);
    into.set(this.#body, HEAD_START + this.#head.length);
    return this.length;
  }
}

/** The request in bytes that another thread wrote; its body is a copy in memory that is not shared. */
export function decodeRequest(bytes: Uint8Array): RingRequest {
  const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const bodyStart = HEAD_START + view.readUInt32LE(0);
  const { kind, uid, call, hasBody } = JSON.parse(view.toString('utf8', HEAD_START, bodyStart));
  // slice of a Buffer would share the memory; that of a Uint8Array copies
  if (hasBody) call.body = bytes.slice(bodyStart);
  return { kind, uid, call };
}
