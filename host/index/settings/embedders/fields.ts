import { type ApiError, apiError, problemOf } from '../../../../bindings/errors.js';
import { EMBEDDER_SOURCES, type EmbedderSettings, type EmbedderSource } from '../../../../bindings/index-types.js';
import { listed } from '../../../../bindings/query/validate.js';

export type EmbedderField = Exclude<keyof EmbedderSettings, 'source' | 'id' | 'inferredDimensions' | 'fragmentIds'>;

/** By source: a member is `required`, `allowed`, or refused when the source is not listed. */
type Uses = Partial<Record<EmbedderSource, 'required' | 'allowed'>>;

const EVERY: Uses = Object.fromEntries(EMBEDDER_SOURCES.map((source) => [source, 'allowed']));
const TEXTS: Uses = { openAi: 'allowed', huggingFace: 'allowed', ollama: 'allowed', rest: 'allowed' };
const LOCAL: Uses = { huggingFace: 'allowed' };
const REST: Uses = { rest: 'allowed' };
const WIRE: Uses = { rest: 'required' };
const NESTED: Uses = { composite: 'required' };

/** Every member besides `source`, in the order of answers. */
const FIELD_USES: Record<EmbedderField, Uses> = {
  model: { openAi: 'allowed', huggingFace: 'allowed', ollama: 'required' },
  revision: LOCAL,
  pooling: LOCAL,
  apiKey: { openAi: 'allowed', ollama: 'allowed', rest: 'allowed' },
  dimensions: { openAi: 'allowed', ollama: 'allowed', userProvided: 'required', rest: 'allowed' },
  binaryQuantized: EVERY,
  documentTemplate: TEXTS,
  documentTemplateMaxBytes: TEXTS,
  url: { openAi: 'allowed', ollama: 'allowed', rest: 'required' },
  indexingFragments: REST,
  searchFragments: REST,
  request: WIRE,
  response: WIRE,
  headers: REST,
  searchEmbedder: NESTED,
  indexingEmbedder: NESTED,
  distribution: EVERY,
};

export const FIELDS = Object.keys(FIELD_USES) as EmbedderField[];

/** Position of an embedder in the settings: top-level, or one of the two in a composite embedder, which allow fewer members. */
export type Role = 'whole' | 'searchEmbedder' | 'indexingEmbedder';

const REFUSED_IN: Record<Role, readonly EmbedderField[]> = {
  whole: [],
  searchEmbedder: [
    'searchEmbedder',
    'indexingEmbedder',
    'distribution',
    'binaryQuantized',
    'documentTemplate',
    'documentTemplateMaxBytes',
    'indexingFragments',
  ],
  indexingEmbedder: ['searchEmbedder', 'indexingEmbedder', 'distribution', 'binaryQuantized', 'searchFragments'],
};

export function isAllowed(field: EmbedderField, source: EmbedderSource, role: Role): boolean {
  return FIELD_USES[field][source] !== undefined && !REFUSED_IN[role].includes(field);
}

/** Members that survive a change of source if the new source allows them; all others are reset to its defaults. */
export const KEPT_FIELDS: readonly EmbedderField[] = [
  'documentTemplate',
  'documentTemplateMaxBytes',
  'distribution',
  'binaryQuantized',
];

export function refusal(where: string, problem: string): ApiError {
  return apiError('invalid_settings_embedders', 'embedder', { place: where, problem });
}

/**
 * Checks which members are allowed with a source. `sent`: members in the request, including nulls; `present`: members with a
 * value.
 * @throws ApiError invalid_settings_embedders
 */
export function checkFields(
  source: EmbedderSource,
  role: Role,
  where: string,
  sent: Iterable<EmbedderField>,
  present: ReadonlySet<EmbedderField>,
): void {
  if (role !== 'whole' && (source === 'userProvided' || source === 'composite')) {
    throw refusal(`${where}.source`, problemOf('sourceInComposite', { source }));
  }
  for (const field of sent) {
    if (isAllowed(field, source, role)) continue;
    const allowed = FIELDS.filter((each) => isAllowed(each, source, role));
    const sources = Object.keys(FIELD_USES[field]);
    throw refusal(
      `${where}.${field}`,
      problemOf('wrongForSource', {
        source,
        role: role === 'whole' ? '' : ` of a \`${role}\``,
        allowed: listed(allowed),
        field,
        sources: listed(sources),
      }),
    );
  }
  const missing = FIELDS.find((field) => FIELD_USES[field][source] === 'required' && !present.has(field));
  if (missing) throw refusal(`${where}.${missing}`, problemOf('absentForSource', { source }));
}
