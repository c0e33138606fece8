import { brotliCompress, brotliCompressSync, constants, deflate, deflateSync, gzip, gzipSync } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { own } from '../../bindings/own.js';

/** Answers up to this many bytes are compressed synchronously: that costs less than a hop to the thread pool. */
const SMALL = 2048;

const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } };

interface Encoder {
  sync(body: Buffer): Buffer;
  async(body: Buffer, done: (error: Error | null, result: Buffer) => void): void;
}

/** In the order of preference among encodings that a client accepts equally: the fastest first. */
const ENCODERS: Record<string, Encoder> = {
  gzip: { sync: (body) => gzipSync(body), async: (body, done) => gzip(body, done) },
  deflate: { sync: (body) => deflateSync(body), async: (body, done) => deflate(body, done) },
  br: { sync: (body) => brotliCompressSync(body, BROTLI), async: (body, done) => brotliCompress(body, BROTLI, done) },
};

/** The encoding that an `Accept-Encoding` header prefers, `identity` for none; null when it excludes all. */
export function chooseEncoding(header: string): string | null {
  const wishes = new Map<string, number>();
  for (const item of header.toLowerCase().split(',')) {
    const [name, ...parameters] = item.split(';').map((part) => part.trim());
    if (!name) continue;
    const quality = parameters.find((parameter) => parameter.startsWith('q='));
    wishes.set(name, quality ? Number(quality.slice(2)) || 0 : 1);
  }
  let best: string | null = null;
  let most = 0;
  for (const name of Object.keys(ENCODERS)) {
    const quality = wishes.get(name) ?? wishes.get('*') ?? 0;
    if (quality > most) {
      best = name;
      most = quality;
    }
  }
  const identity = wishes.get('identity') ?? (wishes.get('*') === 0 ? 0 : null);
  if (best !== null && (identity === null || identity <= most)) return best;
  return identity === 0 ? best : 'identity';
}

type Done = (error: Error | null, payload?: unknown) => void;

/** Hook that compresses an answer as its client accepts; without `Accept-Encoding` it does nothing. */
export function compressAnswer(request: FastifyRequest, reply: FastifyReply, payload: unknown, done: Done): void {
  const header = request.raw.headers['accept-encoding'];
  const encodable = typeof payload === 'string' || Buffer.isBuffer(payload);
  if (header === undefined || !encodable || payload.length === 0) {
    done(null, payload);
    return;
  }
  reply.header('vary', 'accept-encoding');
  const encoding = chooseEncoding(String(header));
  if (encoding === null) {
    reply.code(406).header('content-type', 'text/plain; charset=utf-8');
    done(null, 'No encoding that this service knows is accepted: gzip, deflate, br, identity.');
  } else if (encoding === 'identity') {
    done(null, payload);
  } else {
    reply.header('content-encoding', encoding).removeHeader('content-length');
    encode(own(ENCODERS, encoding)!, typeof payload === 'string' ? Buffer.from(payload) : payload, done);
  }
}

function encode(encoder: Encoder, body: Buffer, done: Done): void {
  if (body.length <= SMALL) done(null, encoder.sync(body));
  else encoder.async(body, done);
}
