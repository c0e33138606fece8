import fs from 'node:fs';
import type { Handlers } from '../../search/worker/handlers.js';

/** A module whose start function traps. */
const TRAP = new Uint8Array([0, 0x61, 0x73, 0x6d, 1, 0, 0, 0, 1, 4, 1, 0x60, 0, 0, 3, 2, 1, 0, 8, 1, 0, 10, 5, 1, 3, 0, 0, 0x0b]);

/** Searches that this thread has begun. */
let begun = 0;

function pause(milliseconds: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);
}

/** Requests that tests send to search threads instead of searches. */
export const HANDLERS: Handlers = {
  /** Answers the body. */
  echo: ({ call }) => call.body ?? new Uint8Array(0),
  /** Answers as many bytes as the id says. */
  bytes: ({ call }) => new Uint8Array(Number(call.documentId)).fill(7),
  open: ({ uid, session }) => {
    session.open(uid);
    return new TextEncoder().encode(uid);
  },
  trap: () => {
    new WebAssembly.Instance(new WebAssembly.Module(TRAP));
    return new Uint8Array(0);
  },
  fail: () => {
    throw new Error('a mistake');
  },
  /** Takes as many milliseconds as the id says. */
  wait: ({ call }) => {
    pause(Number(call.documentId));
    return new Uint8Array(0);
  },
  /** The body has the least duration in milliseconds, and a file that must exist before the request ends. */
  search: ({ call }) => {
    const begunBefore = begun++;
    const { takes, file } = JSON.parse(new TextDecoder().decode(call.body));
    pause(takes);
    while (file !== undefined && !fs.existsSync(file)) pause(1);
    return new TextEncoder().encode(JSON.stringify({ begunBefore }));
  },
  /** Document fetches may be exempt from the queue limit. */
  documents: ({ uid }) => new TextEncoder().encode(uid),
  hang: () => {
    for (;;);
  },
  crash: () => process.exit(3),
};
