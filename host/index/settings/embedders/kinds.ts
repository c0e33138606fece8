import { EMBEDDER_SOURCES } from '../../../../bindings/index-types.js';
import { JsonNumber, plainValue } from '../../../../bindings/query/json.js';
import { ANYTHING, BOOLEAN, oneOf, STRING, UNSIGNED } from '../../../../bindings/query/request-values.js';
import { fromJson, type Kind, nullable, required } from '../../../../bindings/query/validate.js';
import { mapOf, partOf, strictObject } from '../settings-kinds.js';
import type { EmbedderField } from './fields.js';

/** An embedder as sent: absent members stay as they are, null resets. */
export type SentEmbedder = { source?: string | null } & { [K in EmbedderField]?: unknown };

const NUMBER: Kind<number> = fromJson({ type: 'number' }, (value, at) =>
  value instanceof JsonNumber ? value.value : at.refuse('a number', value),
);

/** Any JSON value; null counts as absent. */
const JSON_TEMPLATE: Kind<unknown> = fromJson({}, (value) => plainValue(value));

const FRAGMENTS = mapOf(
  nullable(strictObject<{ value: unknown }>((code) => ({ value: required(ANYTHING, code) }))),
  'an object of fragments',
);

const PLAIN = {
  source: oneOf(...EMBEDDER_SOURCES),
  model: STRING,
  revision: STRING,
  pooling: oneOf('useModel', 'forceMean', 'forceCls'),
  apiKey: STRING,
  dimensions: UNSIGNED,
  binaryQuantized: BOOLEAN,
  documentTemplate: STRING,
  documentTemplateMaxBytes: UNSIGNED,
  url: STRING,
  indexingFragments: FRAGMENTS,
  searchFragments: FRAGMENTS,
  request: JSON_TEMPLATE,
  response: JSON_TEMPLATE,
  headers: mapOf(STRING, 'an object of headers with strings'),
  distribution: strictObject<{ mean: number; sigma: number }>((code) => ({
    mean: required(NUMBER, code),
    sigma: required(NUMBER, code),
  })),
};

const NESTED = partOf(PLAIN);

/** Embedders by name; null removes one. */
export const EMBEDDERS = mapOf(
  nullable(partOf({ ...PLAIN, searchEmbedder: NESTED, indexingEmbedder: NESTED })),
  'an object of embedders',
);
