import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import tls from 'node:tls';
import { type ApiError, apiError } from '../../bindings/errors.js';

/** Milliseconds in which a client must send or take something, when it is its turn to. */
export const STALL_MS = 30_000;
/** Milliseconds between two looks at what connections hold. */
const LOOK_MS = 250;
/** Milliseconds that a request gets even when memory is short. */
const GRACE_MS = 1000;
/** Bodies and answers from so many bytes count; what is smaller is bounded by the number of connections. */
const LARGE = 64 << 10;

/** Of a body that goes to the disk as it arrives, so much at most is in memory. */
const SPOOLED_BYTES = 4 << 20;

/** A connection, and the requests on it that have not been answered whole. */
interface Connection {
  /** Requests that have come on it. */
  requests: number;
  underWay: number;
  /** The newest of them. */
  request: IncomingMessage | null;
  /** Since when some are under way. */
  since: number;
  /** Bytes that had come before them. */
  readBefore: number;
  /** Bytes that bodies under way will have in memory. */
  declared: number;
  /** They have no more there. */
  most: number;
}

/**
 * Looks after the connections of a server. A client that neither sends its request on nor takes its answer is dropped; and where bodies
 * and answers under way hold more memory than they may, the largest go, and further requests are refused until there is room.
 */
export class Connections {
  readonly #connections = new Map<Socket, Connection>();
  #held = 0;
  #looking: NodeJS.Timeout | null = null;

  /** @param limit bytes that bodies and answers under way may hold together */
  constructor(
    private readonly limit: number,
    private readonly stallMs = STALL_MS,
  ) {}

  attach(server: Server): void {
    server.on(server instanceof tls.Server ? 'secureConnection' : 'connection', (socket: Socket) => {
      this.#connections.set(socket, { requests: 0, underWay: 0, request: null, since: 0, readBefore: 0, declared: 0, most: 0 });
      socket.once('close', () => this.#connections.delete(socket));
    });
    // the system's progress with what was given to it counts as well
    server.setTimeout(this.stallMs, (socket: Socket) => {
      const connection = this.#connections.get(socket);
      const isOurTurn = connection && connection.underWay > 0 && connection.request!.complete && socket.writableLength === 0;
      // one that has not asked for anything yet ends with the time for headers
      if (!isOurTurn && connection?.requests !== 0) socket.destroy();
    });
  }

  /**
   * A request has come.
   * @param spools its body goes to the disk as it arrives, if it is long
   * @throws {ApiError} server_overloaded
   */
  begin(request: IncomingMessage, spools = false): void {
    const connection = this.#connections.get(request.socket);
    if (!connection) return;
    const { socket } = request;
    const most = spools ? SPOOLED_BYTES : Number.POSITIVE_INFINITY;
    const length = Math.min(Number(request.headers['content-length'] ?? 0), most);
    const declared = length >= LARGE ? length : 0;
    if (this.#held > this.limit || (this.#held > 0 && this.#held + declared > this.limit)) throw this.refusal();
    if (connection.underWay++ === 0) {
      connection.since = performance.now();
      connection.readBefore = socket.bytesRead;
      connection.declared = 0;
      connection.most = 0;
    }
    connection.requests++;
    connection.request = request;
    connection.declared += declared;
    connection.most += most;
    this.#held += declared;
    this.#looking ??= setInterval(() => this.#look(), LOOK_MS).unref();
  }

  /** Whether there is room for the bytes of its answer. */
  takes(bytes: number): boolean {
    if (bytes < LARGE) return true;
    if (this.#held > 0 && this.#held + bytes > this.limit) return false;
    this.#held += bytes;
    return true;
  }

  /** It has been answered. */
  end({ socket }: IncomingMessage): void {
    const connection = this.#connections.get(socket);
    if (connection && connection.underWay > 0) connection.underWay--;
  }

  /** Sums up what is held, and drops connections while that is too much. */
  #look(): void {
    const now = performance.now();
    const held: [Socket, number, Connection][] = [];
    let isIdle = true;
    this.#held = 0;
    for (const [socket, connection] of this.#connections) {
      if (connection.underWay === 0 && socket.writableLength === 0) continue;
      isIdle = false;
      const { declared, readBefore, underWay, most } = connection;
      const body = underWay === 0 ? 0 : Math.min(most, Math.max(declared, socket.bytesRead - readBefore));
      const bytes = body + socket.writableLength;
      if (bytes < LARGE) continue;
      this.#held += bytes;
      held.push([socket, bytes, connection]);
    }
    if (this.#held > this.limit) this.#drop(held.filter(([, , { since }]) => now - since > GRACE_MS));
    if (!isIdle || !this.#looking) return;
    clearInterval(this.#looking);
    this.#looking = null;
  }

  /** The largest first, and only those that wait for their clients. */
  #drop(held: [Socket, number, Connection][]): void {
    for (const [socket, bytes, { request }] of held.sort(([, a], [, b]) => b - a)) {
      if (this.#held <= this.limit) return;
      if (request!.complete && socket.writableLength === 0) continue;
      socket.destroy();
      this.#held -= bytes;
    }
  }

  /** What those are answered for whom there is no room. */
  refusal(): ApiError {
    return apiError('server_overloaded', 'memory', { limit: this.limit });
  }
}
