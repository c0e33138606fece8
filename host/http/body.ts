import type { IncomingMessage } from 'node:http';
import { brotliDecompress, gunzip, type InputType, inflate, type ZlibOptions } from 'node:zlib';
import type { FastifyRequest } from 'fastify';
import { ApiError } from '../../bindings/errors.js';
import { own } from '../../bindings/own.js';
import type { JsonObject, JsonValue } from '../../bindings/query/json.js';
import { readJsonBody, readObjectBody } from '../../bindings/query/validate.js';
import { limitSize } from './sizes.js';

type Decompress = (bytes: InputType, options: ZlibOptions, callback: (error: Error | null, result: Buffer) => void) => void;

/** An encoding that is not listed counts as none. */
const DECODERS: Record<string, Decompress> = { gzip: gunzip, deflate: inflate, br: brotliDecompress };

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

/** Listens instead of iterating: searches come here, and an iterator costs more than all else. */
function receive(raw: IncomingMessage, limit: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    if (Number(raw.headers['content-length']) > limit) return reject(tooLarge(limit));
    const chunks: Buffer[] = [];
    let length = 0;
    const broken = () => reject(new ApiError('bad_request', 'The request ended before its body was complete.'));
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
      else reject(new ApiError('bad_request', `The body cannot be decompressed: ${error.message}.`));
    });
  });
}

function tooLarge(limit: number): ApiError {
  return new ApiError('payload_too_large', `The body is larger than ${limitSize(limit)}, the most this service takes.`);
}

/** The header as sent. */
export function contentTypeOf({ raw }: FastifyRequest): string | undefined {
  return raw.headers['content-type'];
}

/** The media type of the body in lower case, without parameters. @throws ApiError missing_content_type, invalid_content_type */
export function mediaType(request: FastifyRequest, accepted: string[]): string {
  const contentType = contentTypeOf(request);
  if (contentType === undefined)
    throw new ApiError('missing_content_type', `The header \`Content-Type\` is missing: accepted are ${named(accepted)}.`);
  const type = contentType.split(';')[0]!.trim().toLowerCase();
  if (/^[\w!#$%&'*+.^`|~-]+\/[\w!#$%&'*+.^`|~-]+$/.test(type)) return type;
  throw refusedType(request, accepted);
}

export function refusedType(request: FastifyRequest, accepted: string[]): ApiError {
  return new ApiError(
    'invalid_content_type',
    `The content type \`${contentTypeOf(request)}\` is not accepted here: accepted are ${named(accepted)}.`,
  );
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
