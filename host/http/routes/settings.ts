import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { readObjectBody } from '../../../bindings/query/validate.js';
import {
  checkEmbedders,
  gatedEmbedders,
  gatedSettings,
  readSetting,
  readSettings,
  resetOf,
  type SettingsChange,
} from '../../index/settings/patch.js';
import { SETTINGS, showSettings } from '../../index/settings/settings.js';
import type { Feature } from '../../options/features.js';
import { jsonBytes, jsonValue } from '../body.js';
import { accept, indexOf, requireFeature, type Service, uidOf } from '../service.js';

/** `/settings` as a whole, and one route per setting of the table. */
export function settingsRoutes(app: FastifyInstance, service: Service): void {
  const limit = service.options.httpPayloadSizeLimit;
  const url = '/indexes/:index_uid/settings';

  app.get(url, (request, reply) => {
    const { settings } = indexOf(service, uidOf(request));
    return reply.send(showSettings(settings, service.features.current));
  });
  app.patch(url, async (request, reply) => {
    const change = readSettings(readObjectBody(await jsonBytes(request, limit)));
    return register(service, request, reply, change, true);
  });
  app.delete(url, (request, reply) => register(service, request, reply, resetOf(Object.keys(SETTINGS)), false));

  for (const [name, setting] of Object.entries(SETTINGS)) {
    const own = `${url}/${setting.route}`;
    app.get(own, (request, reply) => {
      const shown = setting.show(indexOf(service, uidOf(request)).settings);
      return reply.header('content-type', 'application/json').send(JSON.stringify(shown));
    });
    app.route({
      method: setting.verb,
      url: own,
      handler: async (request, reply) =>
        register(service, request, reply, readSetting(name, await jsonValue(request, limit)), true),
    });
    app.delete(own, (request, reply) => register(service, request, reply, resetOf([name]), false));
  }
}

function register(
  service: Service,
  request: FastifyRequest,
  reply: FastifyReply,
  change: SettingsChange,
  createsIndex: boolean,
): Promise<FastifyReply> {
  const indexUid = uidOf(request);
  for (const { name, feature } of gatedSettings(change)) requireFeature(service, feature as Feature, `Setting \`${name}\``);
  for (const { feature, attempt } of gatedEmbedders(change)) requireFeature(service, feature, attempt);
  checkEmbedders(change);
  return accept(service, reply, {
    type: 'settingsUpdate',
    indexUid,
    details: change.details,
    work: { kind: 'settings', patch: change.patch, createsIndex: createsIndex && request.access.may('indexes.create') },
  });
}
