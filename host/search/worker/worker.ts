import { receiveMessageOnPort, workerData } from 'node:worker_threads';
import { now } from '../../../bindings/engine/clock.js';
import type { IndexReader } from '../../../bindings/engine/segments.js';
import { errorBody, errorStatus } from '../../../bindings/error-table/table.js';
import { ApiError, apiError, ScratchExhausted } from '../../../bindings/errors.js';
import { ByteWriter } from '../../../bindings/format/byte-writer.js';
import { own } from '../../../bindings/own.js';
import { requestId } from '../../../bindings/request-ids.js';
import { NeedsEmbedding } from '../../../bindings/search/semantic/query-vector.js';
import type { Rights } from '../../../bindings/search/session.js';
import { SearchSession } from '../../../bindings/search/session.js';
import { Access, type AccessScope } from '../../auth/access.js';
import { ThreadContext } from '../../index/memory/thread-context.js';
import { threadClock } from '../../time/thread-clock.js';
import { type EmbeddingRequest, NEEDS_EMBEDDING } from '../answer.js';
import type { PageCall, SearchCall } from '../call.js';
import { decodeRequest } from '../request-bytes.js';
import type { FromWorker, SearchWorkerSetup, ToWorker } from '../ring/messages.js';
import { WorkerRing } from '../ring/worker-ring.js';
import { SearchUsage } from '../usage.js';
import type { Handlers } from './handlers.js';
import { ViewStore } from './readers.js';

const { HANDLERS } = (await import(workerData as string)) as { HANDLERS: Handlers };
// Node.js loads its cryptography when it is first used: now, while indexes are opened, instead of in the first search.
requestId();

/** Serves the ring until it is stopped: the one long task of a search thread. */
export default async function serve(setup: SearchWorkerSetup): Promise<void> {
  const worker = new SearchWorker(setup, HANDLERS);
  try {
    worker.run();
    // After a trap the state of the engine is undefined: wait to be replaced.
    if (worker.broken) await new Promise(() => {});
  } finally {
    setup.port.close();
  }
}

interface Answer {
  status: number;
  bytes: Uint8Array;
}

const encoder = new TextEncoder();

/** Milliseconds since a time on the clock shared by threads. */
const elapsedSince = (time: number) => Math.max(0, threadClock() - time);

class SearchWorker {
  broken = false;
  readonly #ring: WorkerRing;
  readonly #readerContext: ThreadContext;
  readonly #views: ViewStore;
  /** Counters of search features. */
  readonly #usage: SearchUsage;
  /** The writer of answers, in the area of the slot: one request is answered at a time. */
  readonly #out = new ByteWriter();
  readonly #apart = new Map<number, Uint8Array>();
  #version: number;

  constructor(
    readonly setup: SearchWorkerSetup,
    readonly handlers: Handlers,
  ) {
    this.#ring = new WorkerRing(setup.ring, setup.worker);
    this.#readerContext = new ThreadContext(setup.readerContext);
    this.#views = new ViewStore(this.#readerContext);
    this.#usage = new SearchUsage(setup.usage);
    this.#views.update(setup.snapshot);
    this.#version = setup.snapshot.version;
    this.#post({ type: 'ready' });
  }

  run(): void {
    const notify = () => this.#post({ type: 'answered' });
    while (!this.broken) {
      const taken = this.#ring.take();
      if (!taken) return;
      const { slot } = taken;
      const area = this.#ring.answerArea(slot);
      this.#out.writeTo(area);
      const { status, bytes } = this.#answer(taken.request ?? this.#requestMessage(slot));
      if (bytes.length <= area.length) {
        if (bytes.byteOffset !== area.byteOffset || bytes.buffer !== area.buffer) area.set(bytes);
        this.#ring.finish(slot, status, bytes.length, notify);
      } else {
        this.#post({ type: 'answer', slot, bytes });
        this.#ring.finish(slot, status, null, notify);
      }
      this.#ring.leave();
    }
  }

  /** The answer may be in shared memory, so the caller leaves the epoch after copying it. */
  #answer(request: Uint8Array): Answer {
    try {
      const { kind, uid, call, since } = decodeRequest(request);
      const handler = own(this.handlers, kind);
      if (!handler) throw new Error(`no handler for requests of kind ${kind}`);
      this.#ring.enter(this.#catchUp);
      const answer = () =>
        this.#readerContext.scoped(() => handler({ uid, call, usage: this.#usage, session: this.#session(call, since) }));
      let bytes = answer();
      while (this.#readerContext.completeWordLists()) {
        // Texts were tokenized without a word list that was missing, so cached work must be discarded.
        this.#views.renew();
        bytes = answer();
      }
      return { status: 200, bytes };
    } catch (error) {
      return this.#refusal(error);
    }
  }

  #session({ features, metadata, ofMany, scope, page, embeddings }: SearchCall, since: number): SearchSession {
    return new SearchSession({
      open: page ? (uid) => this.#openFor(page, uid) : this.#open,
      out: this.#out,
      now,
      features: features ?? {},
      rightsOn: scope && rightsIn(scope),
      rules: features?.dynamicSearchRules ? this.#views.rules : [],
      metadata: metadata === true,
      waited: () => elapsedSince(since),
      requestUid: ofMany?.requestUid,
      embeddings,
      spent: ofMany ? elapsedSince(ofMany.begun) : 0,
    });
  }

  readonly #open = (uid: string): IndexReader => this.#views.open(uid);

  #openFor({ cursor }: PageCall, uid: string): IndexReader {
    return uid === cursor?.view.uid ? this.#views.openPinned(cursor.view) : this.#views.open(uid);
  }

  #refusal(error: unknown): Answer {
    if (error instanceof NeedsEmbedding) {
      const { need, isEarly } = error;
      return { status: NEEDS_EMBEDDING, bytes: encoder.encode(JSON.stringify({ need, isEarly } satisfies EmbeddingRequest)) };
    }
    if (error instanceof ScratchExhausted) {
      this.#readerContext.forget();
      this.#views.renew();
    }
    const known = error instanceof ApiError ? error : apiError('internal', 'search');
    if (known !== error) {
      this.broken = error instanceof WebAssembly.RuntimeError;
      this.#post({ type: 'fault', message: String((error as Error)?.stack ?? error), broken: this.broken });
    }
    return {
      status: known.status ?? errorStatus(known.code),
      bytes: encoder.encode(JSON.stringify(errorBody(known.code, known.message))),
    };
  }

  readonly #catchUp = (version: number): void => {
    if (version !== this.#version) this.#receive();
    this.#version = version;
  };

  #requestMessage(slot: number): Uint8Array {
    this.#receive();
    const bytes = this.#apart.get(slot) as Uint8Array;
    this.#apart.delete(slot);
    return bytes;
  }

  #receive(): void {
    for (let entry = receiveMessageOnPort(this.setup.port); entry; entry = receiveMessageOnPort(this.setup.port)) {
      const message = entry.message as ToWorker;
      if (message.type === 'request') this.#apart.set(message.slot, message.bytes);
      else this.#views.update(message);
    }
  }

  #post(message: FromWorker): void {
    this.setup.port.postMessage(message);
  }
}

function rightsIn({ patterns, rules }: AccessScope): (uid: string) => Rights | null {
  const access = new Access(null, patterns, rules);
  return (uid) => (access.allows(uid) ? { filter: access.filterOf(uid) } : null);
}
