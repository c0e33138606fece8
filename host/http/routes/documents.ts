import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { apiError } from '../../../bindings/errors.js';
import { own } from '../../../bindings/own.js';
import { checkFilterGates } from '../../../bindings/query/filter-check.js';
import { parseFilter } from '../../../bindings/query/filter-parse.js';
import { plainValue } from '../../../bindings/query/json.js';
import { FILTER_SCHEMA, STRING } from '../../../bindings/query/request-values.js';
import {
  absent,
  defaulted,
  fromText,
  type Kind,
  readObject,
  readParameters,
  required,
  type ValuesOf,
} from '../../../bindings/query/validate.js';
import { readIds } from '../../index/intake/document-ids.js';
import type { PayloadFacts } from '../../index/intake/payload-intake.js';
import type { PayloadFormat, SmallPayload, StoredPayload } from '../../index/payloads/scanned-payload.js';
import { DoubtfulWrite } from '../../storage/errors.js';
import { CUSTOM_METADATA } from '../../tasks/parameters.js';
import { bodyPieces, contentTypeOf, jsonBytes, jsonObject, mayBeLong, mediaType, readBody, refusedType } from '../body.js';
import { ask } from '../searches/answer.js';
import { accept, parametersOf, type Service, uidOf } from '../service.js';

const FORMATS: Record<string, PayloadFormat> = {
  'application/json': 'json',
  'application/x-ndjson': 'ndjson',
  'text/csv': 'csv',
};

const DELIMITER: Kind<string> = fromText({ type: 'string', minLength: 1, maxLength: 1 }, (text, at) =>
  text.length === 1 && text.charCodeAt(0) < 128 ? text : at.refuse('one ASCII character', text),
);

const ANY_CASE_BOOLEAN: Kind<boolean> = fromText({ type: 'boolean' }, (text, at) => {
  const value = text.toLowerCase();
  return value === 'true' || value === 'false' ? value === 'true' : at.refuse('`true` or `false`', text);
});

export const WRITE = {
  primaryKey: absent(STRING, 'invalid_index_primary_key'),
  csvDelimiter: absent(DELIMITER, 'invalid_document_csv_delimiter'),
  customMetadata: CUSTOM_METADATA,
  skipCreation: defaulted(ANY_CASE_BOOLEAN, 'invalid_skip_creation', false),
};

export const DELETE = { customMetadata: CUSTOM_METADATA };

const FILTER: Kind<unknown> = {
  schema: FILTER_SCHEMA,
  json: (value, at) => (value === null ? at.refuse('a string or an array', value) : plainValue(value)),
  text: (text) => text,
};

export const DELETION = {
  filter: required(FILTER, 'invalid_document_filter', 'missing_document_filter'),
};

export function documentRoutes(app: FastifyInstance, service: Service): void {
  const limit = service.options.httpPayloadSizeLimit;
  const url = '/indexes/:index_uid/documents';

  app.get(url, (request, reply) => ask(service, 'documents', request, reply, { query: parametersOf(request) }));
  app.post(`${url}/fetch`, async (request, reply) =>
    ask(service, 'documents', request, reply, { body: await jsonBytes(request, limit) }),
  );
  app.get(`${url}/:document_id`, (request, reply) =>
    ask(service, 'document', request, reply, { query: parametersOf(request), documentId: documentIdOf(request) }),
  );

  app.post(url, (request, reply) => write(service, request, reply, 'replace'));
  app.put(url, (request, reply) => write(service, request, reply, 'update'));

  app.delete(url, (request, reply) => {
    const { customMetadata } = readParameters(DELETE, parametersOf(request));
    return accept(service, reply, {
      type: 'documentDeletion',
      indexUid: uidOf(request),
      details: { deletedDocuments: null },
      work: { kind: 'clear' },
      customMetadata,
    });
  });
  app.delete(`${url}/:document_id`, (request, reply) => {
    const { customMetadata } = readParameters(DELETE, parametersOf(request));
    return deleteIds(service, reply, uidOf(request), [documentIdOf(request)], customMetadata);
  });
  app.post(`${url}/delete-batch`, async (request, reply) => {
    const ids = readIds(await jsonBytes(request, limit));
    const { customMetadata } = readParameters(DELETE, parametersOf(request));
    return deleteIds(service, reply, uidOf(request), ids, customMetadata);
  });
  app.post(`${url}/delete`, async (request, reply) => {
    const { customMetadata } = readParameters(DELETE, parametersOf(request));
    const { filter } = readObject(DELETION, await jsonObject(request, limit));
    const indexUid = uidOf(request);
    const parsed = parseFilter(filter, 'invalid_document_filter');
    if (!parsed) throw apiError('invalid_document_filter', 'emptyForDeletion');
    checkFilterGates(parsed, service.features.current);
    return accept(service, reply, {
      type: 'documentDeletion',
      indexUid,
      details: { providedIds: 0, deletedDocuments: null, originalFilter: JSON.stringify(filter) },
      work: { kind: 'deleteByFilter', filter },
      customMetadata,
    });
  });
}

function documentIdOf(request: FastifyRequest): string {
  return (request.params as { document_id: string }).document_id;
}

function deleteIds(service: Service, reply: FastifyReply, indexUid: string, ids: string[], customMetadata: string | undefined) {
  return accept(service, reply, {
    type: 'documentDeletion',
    indexUid,
    details: { providedIds: ids.length, deletedDocuments: null, originalFilter: null },
    work: { kind: 'deleteByIds', ids },
    customMetadata,
  });
}

async function write(service: Service, request: FastifyRequest, reply: FastifyReply, method: 'replace' | 'update') {
  const parameters = readParameters(WRITE, parametersOf(request));
  const indexUid = uidOf(request);
  const format = formatOf(request);
  if (parameters.csvDelimiter !== undefined && format !== 'csv')
    throw apiError('invalid_content_type', 'csvDelimiter', { found: contentTypeOf(request) });
  const register = () => receive(service, request, reply, { method, indexUid, format, ...parameters });
  return mayBeLong(request) ? service.indexStore.payloads.arrivals.during(indexUid, register) : register();
}

interface Addition extends ValuesOf<typeof WRITE> {
  method: 'replace' | 'update';
  indexUid: string;
  format: PayloadFormat;
}

/** The payload is completely checked and durable before its task exists. */
async function receive(
  service: Service,
  request: FastifyRequest,
  reply: FastifyReply,
  { method, indexUid, format, primaryKey, csvDelimiter, customMetadata, skipCreation }: Addition,
) {
  // The key that the documents have unless an earlier task changes it.
  const expectedKey = service.indexStore.indexes.get(indexUid)?.primaryKey ?? primaryKey ?? null;
  const payload = await receivePayload(service, request, format, { csvDelimiter, primaryKey: expectedKey });
  try {
    return await accept(service, reply, {
      type: 'documentAdditionOrUpdate',
      indexUid,
      details: { receivedDocuments: payload.count, indexedDocuments: null },
      work: {
        kind: 'import',
        method,
        primaryKey: primaryKey ?? null,
        skipCreation,
        createsIndex: request.access.may('indexes.create'),
        file: payload.file,
        bytes: payload.bytes,
      },
      customMetadata,
      payload: payload.file === null ? payload.content : null,
    });
  } catch (error) {
    if (payload.file !== null && !(error instanceof DoubtfulWrite)) await service.payloads.drop(payload.file);
    throw error;
  }
}

async function receivePayload(
  { indexStore, options }: Service,
  request: FastifyRequest,
  format: PayloadFormat,
  facts: PayloadFacts,
): Promise<SmallPayload | StoredPayload> {
  const limit = options.httpPayloadSizeLimit;
  const payload = mayBeLong(request)
    ? await indexStore.payloads.takePieces(bodyPieces(request, limit), format, facts)
    : await indexStore.payloads.take(await readBody(request, limit), format, facts);
  if (!payload) throw apiError('missing_payload', 'documents', { format });
  return payload;
}

function formatOf(request: FastifyRequest): PayloadFormat {
  const accepted = Object.keys(FORMATS);
  const format = own(FORMATS, mediaType(request, accepted));
  if (!format) throw refusedType(request, accepted);
  return format;
}
