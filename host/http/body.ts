import type { IncomingMessage } from 'node:http';
import type { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import {
  brotliDecompress,
  createBrotliDecompress,
  createGunzip,
  createInflate,
  gunzip,
  type InputType,
  inflate,
  type ZlibOptions,
} from 'node:zlib';
import type { FastifyRequest } from 'fastify';
import { type ApiError, apiError } from '../../bindings/errors.js';
import { own } from '../../bindings/own.js';
import type { JsonObject, JsonValue } from '../../bindings/query/json.js';
import { listed, readJsonBody, readObjectBody } from '../../bindings/query/validate.js';
import { limitSize } from '../options/sizes.js';

type Decompress = (bytes: InputType, options: ZlibOptions, callback: (error: Error | null, result: Buffer) => void) => void;

/** Unlisted encodings are treated as identity. */
const DECODERS: Record<string, Decompress> = { gzip: gunzip, deflate: inflate, br: brotliDecompress };
const STREAMS: Record<string, () => Transform> = {
  gzip: createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
};

/**
 * Reads and decompresses the whole body. The limit applies to the decompressed bytes.
 * @throws ApiError payload_too_large; bad_request when the body is cut short or its compression is broken.
 */
export function readBody({ raw }: FastifyRequest, limit: number): Promise<Buffer> {
  const body = receive(raw, limit);
  const encoding = raw.headers['content-encoding'];
  const decode = encoding === undefined ? undefined : own(DECODERS, encoding.trim().toLowerCase());
  return decode ? body.then((bytes) => (bytes.length > 0 ? decompress(decode, bytes, limit) : bytes)) : body;
}

/** Bodies that may be longer than this are better processed as a stream. */
const LONG_BYTES = 1 << 20;

/** Whether the body may be long: its length is unknown, over {@link LONG_BYTES}, or that of compressed bytes. */
export function mayBeLong({ raw: { headers } }: FastifyRequest): boolean {
  return !(Number(headers['content-length']) <= LONG_BYTES) || headers['content-encoding'] !== undefined;
}

/**
 * The decompressed body as a stream of chunks, with backpressure: the client is not read faster than the chunks are consumed.
 * @throws ApiError as {@link readBody}
 */
export async function* bodyPieces({ raw }: FastifyRequest, limit: number): AsyncGenerator<Buffer> {
  if (Number(raw.headers['content-length']) > limit) throw tooLarge(limit);
  const encoding = raw.headers['content-encoding'];
  const streams = encoding === undefined ? undefined : own(STREAMS, encoding.trim().toLowerCase());
  const pieces = raw.destroyed ? broken() : received(raw);
  let length = 0;
  try {
    for await (const piece of streams ? decompressed(pieces, streams()) : pieces) {
      length += piece.length;
      if (length > limit) throw tooLarge(limit);
      yield piece;
    }
  } finally {
    // Drains the rest of a refused body, because clients read the answer only after they have sent everything.
    raw.resume();
  }
}

async function* received(raw: IncomingMessage): AsyncGenerator<Buffer> {
  try {
    // Keeps the connection open for the answer.
    yield* raw.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>;
  } catch {
    broken();
  }
  if (!raw.complete) broken();
}

async function* decompressed(pieces: AsyncGenerator<Buffer>, decoder: Transform): AsyncGenerator<Buffer> {
  const first = await pieces.next();
  // An empty body is empty in every encoding.
  if (first.done) return;
  let cut: unknown = null;
  const fed = pipeline(async function* () {
    try {
      yield first.value;
      yield* pieces;
    } catch (error) {
      cut = error;
      throw error;
    }
  }, decoder);
  fed.catch(() => {});
  try {
    yield* decoder as AsyncIterable<Buffer>;
  } catch (error) {
    throw cut ?? apiError('bad_request', 'undecodable', { reason: (error as Error).message });
  }
}

function broken(): never {
  throw apiError('bad_request', 'incomplete');
}

/**
 * Uses events instead of an async iterator: this is the path of search requests, where the iterator would be the largest cost.
 */
function receive(raw: IncomingMessage, limit: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const declared = Number(raw.headers['content-length']);
    if (declared > limit) return reject(tooLarge(limit));
    const chunks: Buffer[] = [];
    let length = 0;
    const received = () => resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks));
    const broken = () => reject(apiError('bad_request', 'incomplete'));
    // The client went away, and its events were emitted, while a tenant token was being verified.
    if (raw.destroyed) return broken();
    raw.on('data', (chunk: Buffer) => {
      length += chunk.length;
      if (length > limit) {
        chunks.length = 0;
        reject(tooLarge(limit));
      } else {
        chunks.push(chunk);
        if (length === declared) received();
      }
    });
    // A body of declared length is complete before the stream notices its end.
    if (!(declared > 0)) raw.on('end', received);
    raw.on('error', broken).on('aborted', broken);
  });
}

function decompress(decode: Decompress, body: Buffer, limit: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    decode(body, { maxOutputLength: Math.max(limit, 1) }, (error, result) => {
      if (!error) resolve(result);
      else if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') reject(tooLarge(limit));
      else reject(apiError('bad_request', 'undecodable', { reason: error.message }));
    });
  });
}

function tooLarge(limit: number): ApiError {
  return apiError('payload_too_large', 'body', { limit: limitSize(limit) });
}

/** The header as sent. */
export function contentTypeOf({ raw }: FastifyRequest): string | undefined {
  return raw.headers['content-type'];
}

/** The media type of the body in lower case, without parameters. @throws ApiError missing_content_type, invalid_content_type */
export function mediaType(request: FastifyRequest, accepted: string[]): string {
  const contentType = contentTypeOf(request);
  if (contentType === undefined) throw apiError('missing_content_type', 'missing', { accepted: listed(accepted) });
  const type = contentType.split(';')[0]!.trim().toLowerCase();
  if (/^[\w!#$%&'*+.^`|~-]+\/[\w!#$%&'*+.^`|~-]+$/.test(type)) return type;
  throw refusedType(request, accepted);
}

export function refusedType(request: FastifyRequest, accepted: string[]): ApiError {
  return apiError('invalid_content_type', 'notAccepted', { found: contentTypeOf(request), accepted: listed(accepted) });
}

const JSON_TYPES = ['application/json'];

/** The bytes of a JSON body, not yet parsed. @throws ApiError missing_content_type, invalid_content_type */
export function jsonBytes(request: FastifyRequest, limit: number): Promise<Buffer> {
  // Fast path for the header that nearly every client sends.
  if (contentTypeOf(request) === 'application/json') return readBody(request, limit);
  const type = mediaType(request, JSON_TYPES);
  const subtype = type.slice(type.indexOf('/') + 1);
  if (subtype !== 'json' && !subtype.endsWith('+json')) throw refusedType(request, JSON_TYPES);
  return readBody(request, limit);
}

export async function jsonObject(request: FastifyRequest, limit: number): Promise<JsonObject> {
  return readObjectBody(await jsonBytes(request, limit));
}

export async function jsonValue(request: FastifyRequest, limit: number): Promise<JsonValue> {
  return readJsonBody(await jsonBytes(request, limit));
}
