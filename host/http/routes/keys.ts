import type { FastifyInstance, FastifyRequest } from 'fastify';
import { apiError } from '../../../bindings/errors.js';
import { arrayOf, STRING, UNSIGNED } from '../../../bindings/query/request-values.js';
import {
  absent,
  changed,
  defaulted,
  immutable,
  type Kind,
  listed,
  type MemberTable,
  optional,
  readObject,
  readParameters,
  required,
  type Schema,
} from '../../../bindings/query/validate.js';
import { EXPIRY } from '../../auth/expiry.js';
import { isIndexPattern } from '../../auth/index-patterns.js';
import type { NewKey } from '../../auth/key-record.js';
import type { Key } from '../../auth/keys.js';
import { ACTIONS, isGlobal } from '../../auth/rights.js';
import { readUuid } from '../../auth/uuids.js';
import { formatMoment, type Moment } from '../../time/moments.js';
import { jsonObject } from '../body.js';
import { pageOf } from '../page.js';
import { parametersOf, type Service } from '../service.js';

export const KEY_PAGE = {
  offset: defaulted(UNSIGNED, 'invalid_api_key_offset', 0),
  limit: defaulted(UNSIGNED, 'invalid_api_key_limit', 20),
};

/** A string that must match a format. */
function text(expected: string, read: (text: string) => string | null, schema: Schema = {}): Kind<string> {
  return {
    schema: { type: 'string', ...schema },
    json: (value, at) => (typeof value === 'string' ? read(value) : null) ?? at.refuse(expected, value),
    text: (value, at) => read(value) ?? at.refuse(expected, value),
  };
}

const UID = text('a UUID', readUuid, { format: 'uuid' });
const ACTION = text(`one of ${listed(ACTIONS)}`, (name) => (ACTIONS.includes(name) ? name : null), {
  enum: ACTIONS,
});
const INDEX = text('`*`, an index uid, or the beginning of one followed by `*`', (pattern) =>
  isIndexPattern(pattern) ? pattern : null,
);

export const KEY_CREATION: MemberTable<NewKey> = {
  name: optional(STRING, 'invalid_api_key_name'),
  description: optional(STRING, 'invalid_api_key_description'),
  uid: absent(UID, 'invalid_api_key_uid'),
  actions: required(arrayOf(ACTION, 'an array of actions'), 'invalid_api_key_actions', 'missing_api_key_actions'),
  indexes: required(arrayOf(INDEX, 'an array of index patterns'), 'invalid_api_key_indexes', 'missing_api_key_indexes'),
  expiresAt: required(EXPIRY, 'invalid_api_key_expires_at', 'missing_api_key_expires_at'),
};

export const KEY_UPDATE = {
  name: changed(STRING, 'invalid_api_key_name'),
  description: changed(STRING, 'invalid_api_key_description'),
  uid: immutable('immutable_api_key_uid'),
  actions: immutable('immutable_api_key_actions'),
  indexes: immutable('immutable_api_key_indexes'),
  expiresAt: immutable('immutable_api_key_expires_at'),
  createdAt: immutable('immutable_api_key_created_at'),
  updatedAt: immutable('immutable_api_key_updated_at'),
};

export function keyRoutes(app: FastifyInstance, { keys, options }: Service): void {
  const limitBytes = options.httpPayloadSizeLimit;

  app.get('/keys', (request, reply) => {
    return reply.send(pageOf(keys.list(), readParameters(KEY_PAGE, parametersOf(request)), keyView));
  });

  app.post('/keys', async (request, reply) => {
    const chosen = readObject(KEY_CREATION, await jsonObject(request, limitBytes));
    refuseGlobalActions(chosen);
    return reply.code(201).send(keyView(await keys.create(chosen)));
  });

  app.get('/keys/:uid_or_key', (request, reply) => reply.send(keyView(keys.find(identifierOf(request)))));

  app.patch('/keys/:uid_or_key', async (request, reply) => {
    const { name, description } = readObject(KEY_UPDATE, await jsonObject(request, limitBytes));
    return reply.send(keyView(await keys.update(identifierOf(request), { name, description })));
  });

  app.delete('/keys/:uid_or_key', async (request, reply) => {
    await keys.delete(identifierOf(request));
    return reply.code(204).send();
  });
}

function identifierOf(request: FastifyRequest): string {
  return (request.params as { uid_or_key: string }).uid_or_key;
}

function refuseGlobalActions({ actions, indexes }: NewKey): void {
  if (indexes.length === 0 || indexes.includes('*')) return;
  const action = actions.find(isGlobal);
  if (action === undefined) return;
  throw apiError('index_scoped_api_key_with_global_action', 'scoped', { action, indexes: listed(indexes) });
}

function keyView({ record, value }: Key): Record<string, unknown> {
  const { name, description, uid, actions, indexes, expiresAt, createdAt, updatedAt } = record;
  const date = (moment: Moment | null) => (moment === null ? null : formatMoment(moment));
  return {
    name,
    description,
    key: value,
    uid,
    actions,
    indexes,
    expiresAt: date(expiresAt),
    createdAt: date(createdAt),
    updatedAt: date(updatedAt),
  };
}
