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
import { readJsonBody, readObjectBody } from '../../bindings/query/validate.js';
import { limitSize } from './sizes.js';

type Decompress = (bytes: InputType, options: ZlibOptions, callback: (error: Error | null, result: Buffer) => void) => void;

/** An encoding that is not listed counts as none. */
const DECODERS: Record<string, Decompress> = { gzip: gunzip, deflate: inflate, br: brotliDecompress };
const STREAMS: Record<string, () => Transform> = {
  gzip: createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
};

/**
 * The whole body, decompressed. The limit is on the decompressed bytes.
 * @throws ApiError payload_too_large; bad_request when the body is cut short or its compression broken.
 */
export function readBody({ raw }: FastifyRequest, limit: number): Promise<Buffer> {
  const body = receive(raw, limit);
  const encoding = raw.headers['content-encoding'];
  const decode = encoding === undefined ? undefined : own(DECODERS, encoding.trim().toLowerCase());
  return decode ? body.then((bytes) => (bytes.length > 0 ? decompress(decode, bytes, limit) : bytes)) : body;
}

/** A body that may be longer than this is better taken piece by piece. */
const LONG_BYTES = 1 << 20;

/** May the body be long? Its length is not known, or great, or that before it was compressed. */
export function mayBeLong({ raw: { headers } }: FastifyRequest): boolean {
  return !(Number(headers['content-length']) <= LONG_BYTES) || headers['content-encoding'] !== undefined;
}

/**
 * The body piece by piece, decompressed, as it arrives: the sender waits while nobody takes a piece.
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
    // the rest of a body that is refused has to go somewhere, or the sender never reads the answer
    raw.resume();
  }
}

async function* received(raw: IncomingMessage): AsyncGenerator<Buffer> {
  try {
    // the connection is to stay, for the answer
    yield* raw.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>;
  } catch {
    broken();
  }
  if (!raw.complete) broken();
}

async function* decompressed(pieces: AsyncIterable<Buffer>, decoder: Transform): AsyncGenerator<Buffer> {
  let cut: unknown = null;
  const fed = pipeline(async function* () {
    try {
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

/** Listens instead of iterating: searches come here, and an iterator costs more than all else. */
function receive(raw: IncomingMessage, limit: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    if (Number(raw.headers['content-length']) > limit) return reject(tooLarge(limit));
    const chunks: Buffer[] = [];
    let length = 0;
    const broken = () => reject(apiError('bad_request', 'incomplete'));
    // Its events are over when the client went away while a tenant token was verified.
    if (raw.destroyed) return broken();
    raw.on('data', (chunk: Buffer) => {
      length += chunk.length;
      if (length > limit) {
        chunks.length = 0;
        reject(tooLarge(limit));
      } else {
        chunks.push(chunk);
      }
    });
    raw.on('end', () => resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)));
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
  if (contentType === undefined) throw apiError('missing_content_type', 'missing', { accepted: named(accepted) });
  const type = contentType.split(';')[0]!.trim().toLowerCase();
  if (/^[\w!#$%&'*+.^`|~-]+\/[\w!#$%&'*+.^`|~-]+$/.test(type)) return type;
  throw refusedType(request, accepted);
}

export function refusedType(request: FastifyRequest, accepted: string[]): ApiError {
  return apiError('invalid_content_type', 'notAccepted', { found: contentTypeOf(request), accepted: named(accepted) });
}

function named(types: string[]): string {
  return types.map((type) => `\`${type}\``).join(', ');
}

const JSON_TYPES = ['application/json'];

/** The bytes of a JSON body, not yet parsed. @throws ApiError missing_content_type, invalid_content_type */
export function jsonBytes(request: FastifyRequest, limit: number): Promise<Buffer> {
  // What nearly every client sends needs no parsing.
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
