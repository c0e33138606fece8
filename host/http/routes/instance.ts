import type { FastifyInstance } from 'fastify';
import { BOOLEAN } from '../../../bindings/query/request-values.js';
import { type Kind, type MemberTable, optional, readObject } from '../../../bindings/query/validate.js';
import { FEATURES, type FeatureFlags, NEVER_ON } from '../../options/features.js';
import { COMMIT, INTERFACE_VERSION, VERSION } from '../../version.js';
import { jsonObject } from '../body.js';
import type { Service } from '../service.js';

/** A feature that is listed because clients read it, but cannot be enabled. */
const ALWAYS_OFF: Kind<boolean> = {
  ...BOOLEAN,
  json: (value, at) => {
    if (BOOLEAN.json(value, at)) throw at.error('cannot be switched on: there is one way to search here, and none before it');
    return false;
  },
};

export const FLAGS = Object.fromEntries(
  FEATURES.map((name) => [name, optional(name === NEVER_ON ? ALWAYS_OFF : BOOLEAN, 'bad_request')]),
) as unknown as MemberTable<{
  [K in keyof FeatureFlags]: boolean | null;
}>;

export function instanceRoutes(app: FastifyInstance, { features, options }: Service): void {
  app.get('/', (_request, reply) => reply.send({ status: 'Peregrine is running' }));
  app.get('/health', (_request, reply) => reply.send({ status: 'available' }));
  app.get('/version', (_request, reply) => reply.send({ ...COMMIT, pkgVersion: INTERFACE_VERSION, peregrineVersion: VERSION }));

  app.get('/experimental-features', (_request, reply) => reply.send(features.current));
  app.patch('/experimental-features', async (request, reply) => {
    const sent = readObject(FLAGS, await jsonObject(request, options.httpPayloadSizeLimit));
    await features.change(Object.fromEntries(Object.entries(sent).filter(([, value]) => value !== null)));
    return reply.send(features.current);
  });
}
