import { DEFAULT_LOCAL_MODEL, DEFAULT_LOCAL_REVISION, DEFAULT_OPEN_AI_MODEL } from '../../../../bindings/embedders/models.js';
import type { EmbedderSettings } from '../../../../bindings/index-types.js';
import { own } from '../../../../bindings/own.js';
import { redact } from '../../../auth/redaction.js';
import { DEFAULT_TEMPLATE, DEFAULT_TEMPLATE_BYTES } from '../../../templates/template.js';
import { FIELDS, isAllowed, type Role } from './fields.js';
import type { SentEmbedder } from './kinds.js';

/** Embedders in answers: defaults filled in, API keys redacted unless `secrets`. */
export function showEmbedders(embedders: Record<string, EmbedderSettings>, secrets: boolean): Record<string, unknown> {
  return Object.fromEntries(Object.entries(embedders).map(([name, embedder]) => [name, shown(embedder, 'whole', secrets)]));
}

function shown(embedder: EmbedderSettings, role: Role, secrets: boolean): Record<string, unknown> {
  const values: Partial<EmbedderSettings> = { ...defaultsOf(embedder, role), ...embedder };
  const { apiKey, searchEmbedder, indexingEmbedder } = embedder;
  if (apiKey !== undefined && !secrets) values.apiKey = redact(apiKey);
  const nested = {
    ...(searchEmbedder && { searchEmbedder: shown(searchEmbedder, 'searchEmbedder', secrets) }),
    ...(indexingEmbedder && { indexingEmbedder: shown(indexingEmbedder, 'indexingEmbedder', secrets) }),
  };
  return inOrder({ ...values, ...nested });
}

function inOrder(values: Record<string, unknown>): Record<string, unknown> {
  const names = ['source', ...FIELDS].filter((name) => own(values, name) !== undefined);
  return Object.fromEntries(names.map((name) => [name, own(values, name)]));
}

function defaultsOf(
  { source, model, indexingFragments, searchFragments }: EmbedderSettings,
  role: Role,
): Partial<EmbedderSettings> {
  const fragments = indexingFragments !== undefined || searchFragments !== undefined;
  const template = !fragments && isAllowed('documentTemplate', source, role);
  return {
    ...(source === 'openAi' && { model: DEFAULT_OPEN_AI_MODEL }),
    ...(source === 'huggingFace' && { pooling: 'useModel', model: DEFAULT_LOCAL_MODEL }),
    ...(source === 'huggingFace' && model === undefined && { revision: DEFAULT_LOCAL_REVISION }),
    ...(template && { documentTemplate: DEFAULT_TEMPLATE, documentTemplateMaxBytes: DEFAULT_TEMPLATE_BYTES }),
    ...(source === 'rest' && { headers: {} }),
  };
}

/** A change of embedders in the details of its task. */
export function embedderDetails(sent: Record<string, SentEmbedder | null>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(sent).map(([name, embedder]) => [name, embedder && sentDetails(embedder)]));
}

function sentDetails(sent: SentEmbedder): Record<string, unknown> {
  const { apiKey } = sent;
  const nested = (['searchEmbedder', 'indexingEmbedder'] as const).flatMap((name) => {
    const inner = sent[name] as SentEmbedder | null | undefined;
    return inner ? [[name, sentDetails(inner)]] : [];
  });
  return inOrder({ ...sent, ...(typeof apiKey === 'string' && { apiKey: redact(apiKey) }), ...Object.fromEntries(nested) });
}
