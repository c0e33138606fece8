import type { FastifyReply, FastifyRequest } from 'fastify';
import { hasOthers } from '../../network/shares.js';
import type { SearchAnswer } from '../../search/answer.js';
import type { SearchCall } from '../../search/call.js';
import type { Service } from '../service.js';

const METADATA_HEADERS = ['service-include-metadata', 'meili-include-metadata'] as const;

/** Whether answers to searches should contain a `metadata` object. */
export function wantsMetadata({ raw: { headers } }: FastifyRequest): boolean {
  return METADATA_HEADERS.some((name) => headers[name] !== undefined && /^(?:true|1)$/i.test(String(headers[name])));
}

/** Has a search thread answer a request about the index in the path, and sends the answer. */
export async function ask(
  service: Service,
  kind: string,
  request: FastifyRequest,
  reply: FastifyReply,
  call: SearchCall,
): Promise<FastifyReply> {
  return sendAnswer(reply, await answerOf(service, kind, request, call));
}

/** The answer of a search thread to a request about the index in the path. */
export function answerOf(
  { searches, features, embeddings, network }: Service,
  kind: string,
  request: FastifyRequest,
  call: SearchCall,
): Promise<SearchAnswer> {
  const { index_uid: uid } = request.params as { index_uid: string };
  const remotes = features.current.network === true && hasOthers(network.current);
  // Listed member by member: an object literal with spreads got a new hidden class per request, which survived garbage
  // collections.
  return embeddings.answer((made) => {
    const whole: SearchCall = {
      query: call.query,
      body: call.body,
      documentId: call.documentId,
      metadata: call.metadata,
      tokenFilter: request.access.filterOf(uid),
      scope: request.access.scope,
      remotes: remotes || undefined,
      features: features.current,
      embeddings: made,
    };
    return searches.search(kind, uid, whole, request.raw.socket);
  });
}

/** Sends the answer of a search thread unchanged. */
export function sendAnswer(reply: FastifyReply, { status, body, release }: SearchAnswer): FastifyReply {
  // When the connection breaks the buffer is not reused, because it may still be being read.
  reply.raw.once('finish', release);
  return reply.code(status).header('content-type', 'application/json').send(body);
}
