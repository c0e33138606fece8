import type { IndexReader } from '../../bindings/engine/segments.js';
import type { SearchCall } from '../index/types.js';

/** A request as its handler gets it, inside one scope of the engine's scratch memory. */
export interface Reading {
  uid: string;
  call: SearchCall;
  /**
   * The index as it stands now. Handlers call it when it is the index's turn in the order of their checks.
   * @throws {ApiError} index_not_found
   */
  open(): IndexReader;
}

/** Gives the body of a 200 answer; refusals are thrown as ApiErrors. */
export type Handler = (reading: Reading) => Uint8Array;
export type Handlers = Record<string, Handler>;
