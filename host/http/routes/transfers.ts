import type { FastifyInstance } from 'fastify';
import { apiError } from '../../../bindings/errors.js';
import { JsonNumber, type JsonValue } from '../../../bindings/query/json.js';
import { ANYTHING, BOOLEAN, STRING } from '../../../bindings/query/request-values.js';
import {
  defaulted,
  fromJson,
  type Kind,
  type MemberTable,
  objectSchema,
  optional,
  type Place,
  readObject,
  required,
  shown,
} from '../../../bindings/query/validate.js';
import { isIndexPattern } from '../../auth/index-patterns.js';
import { redact } from '../../auth/redaction.js';
import { exactSize, parseSize } from '../../options/sizes.js';
import type { ExportedPattern } from '../../tasks/task.js';
import { readInstanceUid } from '../../transfer/instance-uid.js';
import { SNAPSHOT_TASK } from '../../transfer/schedule.js';
import { jsonObject } from '../body.js';
import { accept, type Service } from '../service.js';

/** Dumps, snapshots and exports, each run as a task. */
export function transferRoutes(app: FastifyInstance, service: Service): void {
  const { options, keys } = service;

  app.post('/dumps', async (_request, reply) => {
    const instanceUid = await readInstanceUid(options.dbPath);
    return accept(service, reply, {
      type: 'dumpCreation',
      indexUid: null,
      details: { dumpUid: null },
      work: { kind: 'dumpCreation', keys: keys.list().map(({ record }) => record), instanceUid },
    });
  });

  app.post('/snapshots', (_request, reply) => accept(service, reply, SNAPSHOT_TASK));

  app.post('/export', async (request, reply) => {
    const { url, apiKey, payloadSize, indexes } = readObject(EXPORT, await jsonObject(request, options.httpPayloadSizeLimit));
    return accept(
      service,
      reply,
      {
        type: 'export',
        indexUid: null,
        details: {
          url,
          ...(apiKey === null ? {} : { apiKey: redact(apiKey) }),
          ...(payloadSize === null ? {} : { payloadSize: exactSize(payloadSize) }),
          indexes,
        },
        work: { kind: 'export', url, apiKey, payloadSize, indexes },
      },
      200,
    );
  });
}

const REMOTE_URL: Kind<string> = fromJson({ type: 'string', format: 'uri' }, (value, at) => {
  if (typeof value !== 'string') return at.refuse('a string', value);
  if (URL.canParse(value) && /^https?:$/.test(new URL(value).protocol)) return value;
  return at.refuse('the address of an instance such as `https://search.example.com`', value);
});

const BYTES: Kind<number> = fromJson({ type: ['integer', 'string'] }, (value, at) => {
  const bytes =
    typeof value === 'string' ? parseSize(value) : value instanceof JsonNumber && value.isInteger ? value.value : null;
  return bytes !== null && bytes >= 0 ? bytes : at.refuse('bytes, or a size with a unit such as `50 MiB`', value);
});

const PATTERN: MemberTable<ExportedPattern> = {
  filter: defaulted(ANYTHING, 'invalid_export_index_filter', null),
  overrideSettings: defaulted(BOOLEAN, 'invalid_export_index_override_settings', false),
};

const PATTERNS: Kind<Record<string, ExportedPattern>> = fromJson(
  { type: 'object', additionalProperties: objectSchema(PATTERN) },
  (value, at) => {
    if (!(value instanceof Map)) return at.refuse('an object of index patterns', value);
    return Object.fromEntries([...value].map(([pattern, how]) => [pattern, readPattern(pattern, how, at)]));
  },
);

function readPattern(pattern: string, how: JsonValue, at: Place): ExportedPattern {
  const path = `${at.path}.${pattern}`;
  if (!isIndexPattern(pattern)) throw apiError('bad_request', 'notAPattern', { path, pattern });
  if (!(how instanceof Map)) throw apiError('bad_request', 'notAnObjectAt', { path, found: shown(how) });
  return readObject(PATTERN, how, { path, code: 'bad_request' });
}

export const EXPORT = {
  url: required(REMOTE_URL, 'invalid_export_url', 'invalid_export_url'),
  apiKey: optional(STRING, 'invalid_export_api_key'),
  payloadSize: optional(BYTES, 'invalid_export_payload_size'),
  indexes: defaulted(PATTERNS, 'bad_request', { '*': { filter: null, overrideSettings: false } }),
};
