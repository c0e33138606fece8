import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout as delay, setImmediate } from 'node:timers/promises';
import { v4 as uuidv4 } from 'uuid';
import { connectToSelf } from '../http/own-connections.js';
import type { EngineRoom } from '../index/engine.js';
import type { HiddenIndex } from '../index/hidden-index.js';
import type { SearchPool } from '../search/pool.js';
import { PRIMARY_KEY, payloadOf, SETTINGS, type SyntheticDocument, syntheticDocuments } from './collection.js';
import { exchange, type Request, textOf } from './exchange.js';
import { syntheticRequest } from './requests.js';

/** Requests for the server, and at least for each search thread: V8 has compiled most of what they run by then. */
const REQUESTS = 6000;
const REQUESTS_A_THREAD = 1500;
/** Clients come and go, and documents are written meanwhile: what is made for a connection and for a version must be compiled too. */
const REQUESTS_A_CONNECTION = 50;
/** Milliseconds after which a warm-up that made way looks whether it may go on. */
const PAUSE = 20;
/** Answered, refused for its length where the service takes little, or because those who ask in earnest have all places. */
const EXPECTED = new Set([200, 413, 503]);

/**
 * Searches of synthetic documents, so that the code of the server and of its search threads is compiled before it is asked in earnest. They
 * come over HTTP and search an index, as all do: compiled code holds for what was there before, and is thrown away at anything else.
 */
export class WarmUp {
  /** Nobody else knows it. */
  readonly #uid = `warm-up-${uuidv4()}`;
  #documents: SyntheticDocument[] = [];
  #left: number;
  #underWay = 0;
  #stopped = false;

  /** @param keys what clients may use; empty: they need none */
  constructor(
    private readonly server: Server,
    private readonly engine: EngineRoom,
    private readonly searches: SearchPool,
    private readonly keys: () => readonly string[],
    requests = Math.max(REQUESTS, REQUESTS_A_THREAD * searches.threads),
  ) {
    this.#left = requests;
  }

  /** Resolves when all requests have been answered, or soon after {@link stop}. */
  async run(): Promise<void> {
    // one request a thread is under way, and a place is left to others
    const clients = Math.min(this.searches.threads, this.searches.slots - 1);
    try {
      if (clients > 0) await this.#run(clients);
    } catch (error) {
      if (!this.#stopped) throw error;
    }
  }

  stop(): void {
    this.#stopped = true;
  }

  async #run(clients: number): Promise<void> {
    await this.#peace();
    if (this.#stopped) return;
    this.#documents = syntheticDocuments();
    const source = { uid: this.#uid, settings: SETTINGS, primaryKey: PRIMARY_KEY };
    const index = await this.engine.openHiddenIndex(source, payloadOf(this.#documents));
    try {
      await Promise.all(Array.from({ length: clients }, () => this.#client(index)));
      while (this.#underWay > 0) await delay(PAUSE);
    } finally {
      index.close();
    }
  }

  /** Asks over connections of its own, one request after the other. */
  async #client(index: HiddenIndex): Promise<void> {
    while (this.#left > 0 && !this.#stopped) {
      const socket = await connectToSelf(this.server);
      try {
        for (let each = REQUESTS_A_CONNECTION; each > 0 && (await this.#turn()); each--) await this.#ask(socket);
        if (await this.#turn()) await this.#leave(socket);
      } finally {
        socket.destroy();
      }
      (await connectToSelf(this.server)).destroy();
      index.renew();
    }
  }

  /** Waits until nobody else searches and nothing is indexed: what is asked for in earnest must not take longer for it. */
  async #peace(): Promise<void> {
    while ((this.searches.running > this.#underWay || this.engine.isIndexing) && !this.#stopped) await delay(PAUSE);
  }

  /** Waits until it may ask; whether there is something left to ask. */
  async #turn(): Promise<boolean> {
    await this.#peace();
    return !this.#stopped && this.#left-- > 0;
  }

  /** Goes away with a request under way, which ends within the pause. */
  async #leave(socket: Socket): Promise<void> {
    this.#underWay++;
    delay(PAUSE).then(() => this.#underWay--);
    socket.write(textOf(this.#request()));
    await setImmediate();
  }

  #request(): Request {
    return syntheticRequest(this.#uid, this.#documents, this.keys());
  }

  async #ask(socket: Socket): Promise<void> {
    this.#underWay++;
    try {
      const status = await exchange(socket, this.#request());
      if (!EXPECTED.has(status)) throw new Error(`a synthetic request was refused with ${status}`);
    } finally {
      this.#underWay--;
    }
  }
}
