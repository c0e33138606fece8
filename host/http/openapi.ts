import { type Member, memberSchema } from '../../bindings/query/validate.js';
import { INTERFACE_VERSION } from '../version.js';
import { ROUTES } from './route-table.js';
import { SETTINGS_SCHEMA } from './table/index-routes.js';
import type { Route } from './table/route.js';
import { ref, SCHEMAS } from './table/schemas.js';

type Json = Record<string, unknown>;

const PREFER = {
  name: 'Prefer',
  in: 'header',
  schema: { type: 'string' },
  description: '`wait=N`: answer 200 with the ended task if it ends within N seconds (at most 60).',
};

/** The OpenAPI 3.1 description of the interface, made from the tables that parse requests. */
export function openApiDocument(): Json {
  const paths = new Map<string, Json>();
  for (const [route, operation] of Object.entries(ROUTES)) {
    const [method, url] = route.split(' ') as [string, string];
    const path = url.replace(/:(\w+)/g, '{$1}');
    paths.set(path, { ...paths.get(path), [method.toLowerCase()]: described(method, url, operation) });
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Peregrine',
      version: INTERFACE_VERSION,
      description: 'Search over JSON documents: typo-tolerant, ranked, with filters, facets and geo.',
    },
    paths: Object.fromEntries(paths),
    components: {
      schemas: { ...SCHEMAS, Settings: SETTINGS_SCHEMA },
      securitySchemes: { key: { type: 'http', scheme: 'bearer' } },
    },
  };
}

function described(method: string, url: string, operation: Route): Json {
  const { action, summary, parameters = {}, body, types = ['application/json'], answer } = operation;
  const [status, schema, type = 'application/json'] = answer;
  const isTask = schema?.$ref === ref('SummarizedTask').$ref;
  const all = [...pathParameters(url), ...queryParameters(parameters), ...(isTask ? [PREFER] : [])];
  return {
    summary,
    operationId: operationId(method, url),
    ...(all.length > 0 ? { parameters: all } : {}),
    ...(body ? { requestBody: { required: true, content: content(types, body) } } : {}),
    responses: {
      [status]: { description: 'Success', ...(schema ? { content: content([type], schema) } : {}) },
      ...(isTask && status !== 200 ? { 200: { description: 'The ended task', content: content([JSON_TYPE], ref('Task')) } } : {}),
      default: { description: 'Refused', content: content([JSON_TYPE], ref('Error')) },
    },
    ...(action === null ? {} : { security: [{ key: [] }], 'x-action': action }),
  };
}

const JSON_TYPE = 'application/json';

function content(types: readonly string[], schema: unknown): Json {
  return Object.fromEntries(types.map((type) => [type, { schema }]));
}

function pathParameters(url: string): Json[] {
  return [...url.matchAll(/:(\w+)/g)].map(([, name]) => ({ name, in: 'path', required: true, schema: { type: 'string' } }));
}

function queryParameters(table: NonNullable<Route['parameters']>): Json[] {
  return Object.entries<Member<unknown>>(table).map(([name, member]) => {
    const { 'x-error-code': code, ...schema } = memberSchema(member);
    return { name, in: 'query', required: !('initial' in member), schema, style: 'form', explode: false, 'x-error-code': code };
  });
}

/** `POST /indexes/:index_uid/search` as `postIndexesIndexUidSearch`. */
function operationId(method: string, url: string): string {
  const words = url.split(/[^A-Za-z0-9]+/).filter(Boolean);
  return method.toLowerCase() + words.map((word) => word[0]!.toUpperCase() + word.slice(1)).join('');
}
