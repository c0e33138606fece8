import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import tls from 'node:tls';
import { type ApiError, apiError } from '../../bindings/errors.js';

/** Milliseconds after which a client that neither sends the rest of its request nor reads its answer is disconnected. */
export const STALL_MS = 30_000;
/** Milliseconds between two checks of the memory that connections hold. */
const CHECK_MS = 250;
/** Milliseconds that a request is given even when memory is short. */
const GRACE_MS = 1000;
/** Bodies and answers from this many bytes on are counted; smaller ones are bounded by the number of connections. */
const LARGE = 64 << 10;

/** Most bytes in memory of a body that is streamed to disk. */
const SPOOLED_BYTES = 4 << 20;

/** A connection with the requests on it that have not been answered completely. */
interface Connection {
  /** Requests received on this connection. */
  requests: number;
  underWay: number;
  /** The newest request. */
  request: IncomingMessage | null;
  /** Time since when requests have been under way. */
  since: number;
  /** Bytes that had been read from the connection before these requests. */
  readBefore: number;
  /** Bytes that the bodies under way will hold in memory. */
  declared: number;
  /** Upper bound of the bytes that the bodies hold in memory. */
  most: number;
}

/**
 * Watches the connections of a server. Clients that stall are disconnected. When the bodies and answers under way exceed their
 * share of memory, the largest are dropped, and further requests are refused until there is room.
 */
export class Connections {
  readonly #connections = new Map<Socket, Connection>();
  #held = 0;
  #checking: NodeJS.Timeout | null = null;

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
    // The timeout also sees progress of the operating system with data that it was given.
    server.setTimeout(this.stallMs, (socket: Socket) => {
      const connection = this.#connections.get(socket);
      const isOurTurn = connection && connection.underWay > 0 && connection.request!.complete && socket.writableLength === 0;
      // A connection without any request yet is left to the header timeout.
      if (!isOurTurn && connection?.requests !== 0) socket.destroy();
    });
  }

  /**
   * Registers a request.
   * @param spools whether a long body is streamed to disk
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
    this.#checking ??= setInterval(() => this.#check(), CHECK_MS).unref();
  }

  /** Whether there is room for an answer of this many bytes. */
  takes(bytes: number): boolean {
    if (bytes < LARGE) return true;
    if (this.#held > 0 && this.#held + bytes > this.limit) return false;
    this.#held += bytes;
    return true;
  }

  /** The request has been answered. */
  end({ socket }: IncomingMessage): void {
    const connection = this.#connections.get(socket);
    if (connection && connection.underWay > 0) connection.underWay--;
  }

  /** Sums up what connections hold, and drops some while it is too much. */
  #check(): void {
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
    if (!isIdle || !this.#checking) return;
    clearInterval(this.#checking);
    this.#checking = null;
  }

  /** Drops the largest first, and only those that wait for their clients. */
  #drop(held: [Socket, number, Connection][]): void {
    for (const [socket, bytes, { request }] of held.sort(([, a], [, b]) => b - a)) {
      if (this.#held <= this.limit) return;
      if (request!.complete && socket.writableLength === 0) continue;
      socket.destroy();
      this.#held -= bytes;
    }
  }

  /** The error for requests that are refused for lack of room. */
  refusal(): ApiError {
    return apiError('server_overloaded', 'memory', { limit: this.limit });
  }
}
