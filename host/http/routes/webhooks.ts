import type { FastifyInstance, FastifyRequest } from 'fastify';
import { STRING } from '../../../bindings/query/request-values.js';
import { changed, fromJson, immutable, type Kind, readObject } from '../../../bindings/query/validate.js';
import { redactAuthorization } from '../../auth/redaction.js';
import { RESERVED, type StoredWebhook, type WebhookChange } from '../../webhooks/store.js';
import { jsonObject } from '../body.js';
import type { Service } from '../service.js';

const HEADERS: Kind<Record<string, string | null>> = fromJson(
  { type: 'object', additionalProperties: { type: ['string', 'null'] } },
  (value, at) => {
    if (!(value instanceof Map)) return at.refuse('an object of header names and values', value);
    const headers = [...value].map(([name, text]) => {
      if (typeof text !== 'string' && text !== null) throw at.error(`must have a string or null as the value of \`${name}\``);
      return [name, text] as const;
    });
    return Object.fromEntries(headers);
  },
);

export const WEBHOOK = {
  url: changed(STRING, 'invalid_webhook_url'),
  headers: changed(HEADERS, 'invalid_webhook_headers'),
  uuid: immutable('immutable_webhook_uuid'),
  isEditable: immutable('immutable_webhook_is_editable'),
};

export function webhookRoutes(app: FastifyInstance, { webhooks, options }: Service): void {
  const read = async (request: FastifyRequest): Promise<WebhookChange> =>
    readObject(WEBHOOK, await jsonObject(request, options.httpPayloadSizeLimit));

  app.get('/webhooks', (_request, reply) => reply.send({ results: webhooks.list().map(webhookView) }));
  app.post('/webhooks', async (request, reply) => reply.send(webhookView(await webhooks.create(await read(request)))));
  app.get('/webhooks/:uuid', (request, reply) => reply.send(webhookView(webhooks.find(uuidOf(request)))));
  app.patch('/webhooks/:uuid', async (request, reply) => {
    const change = await read(request);
    return reply.send(webhookView(await webhooks.update(uuidOf(request), change)));
  });
  app.delete('/webhooks/:uuid', async (request, reply) => {
    await webhooks.delete(uuidOf(request));
    return reply.code(204).send();
  });
}

function uuidOf(request: FastifyRequest): string {
  return (request.params as { uuid: string }).uuid;
}

function webhookView({ uuid, url, headers }: StoredWebhook): Record<string, unknown> {
  const shown = Object.entries(headers).map(([name, value]) => [
    name,
    name.toLowerCase() === 'authorization' ? redactAuthorization(value) : value,
  ]);
  return { uuid, isEditable: uuid !== RESERVED, url, headers: Object.fromEntries(shown) };
}
