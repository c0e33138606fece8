import type { FastifyInstance } from 'fastify';
import { apiError } from '../../../bindings/errors.js';
import { checkFilterGates } from '../../../bindings/query/filter-check.js';
import { parseFilter } from '../../../bindings/query/filter-parse.js';
import { type JsonValue, plainValue } from '../../../bindings/query/json.js';
import { FILTER_SCHEMA, STRING } from '../../../bindings/query/request-values.js';
import { defaulted, type Kind, Place, readObject, readParameters, required } from '../../../bindings/query/validate.js';
import { CUSTOM_METADATA } from '../../tasks/parameters.js';
import { jsonObject } from '../body.js';
import { accept, parametersOf, requireFeature, type Service, uidOf } from '../service.js';

/** Their types are checked after the script; null counts as absent. */
const read = { json: (value: JsonValue) => value, text: (text: string) => text };
const ANY_FILTER: Kind<JsonValue> = { ...read, schema: { ...FILTER_SCHEMA, type: ['string', 'array', 'null'] } };
const ANY_CONTEXT: Kind<JsonValue> = { ...read, schema: { type: ['object', 'null'] } };

export const EDITION = {
  function: required(STRING, 'invalid_document_edition_function_filter', 'missing_document_edition_function'),
  filter: defaulted(ANY_FILTER, 'invalid_document_filter', null),
  context: defaulted(ANY_CONTEXT, 'invalid_document_edition_context', null),
};

export const EDITION_PARAMETERS = { customMetadata: CUSTOM_METADATA };

export function editionRoutes(app: FastifyInstance, service: Service): void {
  app.post('/indexes/:index_uid/documents/edit', async (request, reply) => {
    const { customMetadata } = readParameters(EDITION_PARAMETERS, parametersOf(request));
    const body = readObject(EDITION, await jsonObject(request, service.options.httpPayloadSizeLimit));
    requireFeature(service, 'editDocumentsByFunction', 'Editing documents by a function');
    const indexUid = uidOf(request);
    await service.indexStore.documents.checkScript(body.function);
    const filter = checkedFilter(service, body.filter);
    const context = checkedContext(body.context);
    return accept(service, reply, {
      type: 'documentEdition',
      indexUid,
      details: {
        deletedDocuments: null,
        editedDocuments: null,
        originalFilter: filter === null ? null : JSON.stringify(filter),
        context,
        function: body.function,
      },
      work: { kind: 'edition', edition: { script: body.function, context, filter } },
      customMetadata,
    });
  });
}

function checkedFilter({ features }: Service, value: JsonValue): unknown {
  if (value === null) return null;
  const filter = plainValue(value);
  const parsed = parseFilter(filter, 'invalid_document_filter');
  if (!parsed) throw apiError('invalid_document_filter', 'emptyForEdition');
  checkFilterGates(parsed, features.current);
  return filter;
}

function checkedContext(value: JsonValue): Record<string, unknown> | null {
  if (value === null) return null;
  if (value instanceof Map) return plainValue(value) as Record<string, unknown>;
  return new Place('.context', 'invalid_document_edition_context').refuse('an object or null', value);
}
