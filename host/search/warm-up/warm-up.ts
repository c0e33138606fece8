import { address, type EngineInstance } from '../../../bindings/engine/instance.js';
import { IndexReader, type SegmentHome } from '../../../bindings/engine/segments.js';
import type { IndexView, SegmentRef } from '../../../bindings/index-types.js';
import { threadClock } from '../clock.js';
import type { Handler } from '../handlers.js';
import { decodeRequest, EncodedRequest } from '../request-bytes.js';
import { SearchUsage } from '../usage.js';
import { madeUpDocuments, madeUpSegment, SETTINGS } from './collection.js';
import { madeUpRequest } from './requests.js';

/** Searches that a thread answers: V8 has compiled most of what they run by then. */
const SEARCHES = 1500;
const UID = 'warm-up';
/** No segment of a database has this number. */
const SEGMENT = -2;

/**
 * Searches of made-up documents, answered by a search thread before it is asked in earnest, so that its code is compiled by then. They
 * run in the instance that real searches use: for another one the compiled code would be thrown away again.
 */
export class WarmUp {
  readonly #documents = madeUpDocuments();
  readonly #view: IndexView;
  readonly #home: SegmentHome;
  readonly #usage = new SearchUsage();
  /** The made-up segment lies in persistent memory, for as long as nobody empties it. */
  readonly #generation: number;
  #left = SEARCHES;

  /** @param plain the target of the engine that builds segments; @param handler of searches */
  constructor(
    plain: WebAssembly.Module,
    readonly instance: EngineInstance,
    readonly handler: Handler,
  ) {
    // gives the memory the kind of buffer that it has once another thread has let it grow
    instance.memory.grow(0);
    const { file, fields, docCount, residentLength } = madeUpSegment(plain, this.#documents);
    const pointer = address(instance.call('allocPersistent', residentLength));
    if (pointer === 0) this.#left = 0;
    else instance.bytes.set(file.subarray(0, residentLength), pointer);
    const sizes = { docCount, liveCount: docCount, residentLength, fileLength: file.length };
    const segment: SegmentRef = { id: SEGMENT, file: UID, ...sizes, memory: 0, pointer, tombstones: 0 };
    const view = { uid: UID, version: 0, primaryKey: 'id', settings: SETTINGS, fields, segments: [segment] };
    // as views come from the host: objects made in another way have another hidden class, and compiled code takes only what it knows
    this.#view = structuredClone(view);
    this.#home = {
      instance: () => instance,
      source: () => ({ read: (offset, length, into) => into.set(file.subarray(offset, offset + length)) }),
    };
    this.#generation = instance.generation;
  }

  /** The answer to the next search, valid until the scratch memory is used again; null when it was the last one. */
  next(): Uint8Array | null {
    const { instance } = this;
    if (instance.generation !== this.#generation) return null;
    if (this.#left-- <= 0) {
      instance.call('persistentReset');
      instance.generation++;
      return null;
    }
    const { call, since } = decodeRequest(madeUpBytes(madeUpRequest(this.#documents)));
    const open = () => new IndexReader(this.#view, instance, this.#home);
    return this.handler({ uid: UID, call, since, usage: this.#usage, open });
  }
}

/** A search as it comes through the ring. */
function madeUpBytes(body: Uint8Array): Uint8Array {
  const call = { body, metadata: false, tokenFilter: null, features: {} };
  const request = new EncodedRequest({ kind: 'search', uid: UID, call, since: threadClock() });
  const bytes = new Uint8Array(new SharedArrayBuffer(request.length));
  request.write(bytes);
  return bytes;
}
