import { DEFAULT_OPEN_AI_MODEL, OPEN_AI_MODELS } from '../../../../bindings/embedders/models.js';
import { type ApiError, apiError, problemOf } from '../../../../bindings/errors.js';
import type { EmbedderSource } from '../../../../bindings/index-types.js';
import { listed } from '../../../../bindings/query/validate.js';
import { FragmentTemplate } from '../../../templates/fragment.js';
import { FRAGMENT, JsonTemplate, TEXT, wirePair } from '../../../templates/json-template.js';
import { Template, TemplateParseError } from '../../../templates/template.js';
import { checkFields, type EmbedderField, FIELDS, type Role, refusal } from './fields.js';
import type { SentEmbedder } from './kinds.js';

type Fragments = Record<string, { value: unknown } | null>;

/** A feature that embedder settings require, and the member that requires it. */
export interface EmbedderGate {
  feature: 'compositeEmbedders' | 'multimodal';
  attempt: string;
}

/** The experimental features that a change of embedders requires. */
export function embedderGates(embedders: Record<string, SentEmbedder | null>): EmbedderGate[] {
  return Object.entries(embedders).flatMap(([name, sent]) => (sent ? gatesOf(sent, `.embedders.${name}`) : []));
}

function gatesOf(sent: SentEmbedder, where: string): EmbedderGate[] {
  const gates: EmbedderGate[] = [];
  const composite: EmbedderField[] = ['searchEmbedder', 'indexingEmbedder'];
  const fragments: EmbedderField[] = ['indexingFragments', 'searchFragments'];
  if (sent.source === 'composite') gates.push({ feature: 'compositeEmbedders', attempt: `\`${where}.source\` as \`composite\`` });
  for (const field of composite) {
    const nested = sent[field] as SentEmbedder | null | undefined;
    if (!nested) continue;
    gates.push(
      { feature: 'compositeEmbedders', attempt: `Setting \`${where}.${field}\`` },
      ...gatesOf(nested, `${where}.${field}`),
    );
  }
  for (const field of fragments) {
    if (sent[field]) gates.push({ feature: 'multimodal', attempt: `Setting \`${where}.${field}\`` });
  }
  return gates;
}

/**
 * Checks embedders as far as possible without the stored ones, in the documented order. The first error refuses the request.
 * @throws ApiError invalid_settings_embedders, vector_embedding_error
 */
export function checkSentEmbedders(embedders: Record<string, SentEmbedder | null>): void {
  for (const [name, sent] of Object.entries(embedders)) {
    if (name === '') throw refusal('.embedders', problemOf('namelessEmbedder'));
    if (sent) checkSent(sent, 'whole', `.embedders.${name}`);
  }
}

function checkSent(sent: SentEmbedder, role: Role, where: string): void {
  checkTemplate(sent, where);
  if (sent.dimensions === 0) throw refusal(`${where}.dimensions`, problemOf('notPositive', { given: 0 }));
  if (typeof sent.url === 'string') checkUrl(sent.url, where);
  checkFragments(sent, where);
  checkWire(sent, where);
  for (const nested of ['searchEmbedder', 'indexingEmbedder'] as const) {
    const inner = sent[nested] as SentEmbedder | null | undefined;
    if (inner) checkSent(inner, nested, `${where}.${nested}`);
  }
  if (sent.source) {
    const given = FIELDS.filter((field) => sent[field] !== undefined);
    checkFields(sent.source as EmbedderSource, role, where, given, new Set(given.filter((field) => sent[field] !== null)));
    if (sent.source === 'openAi') checkOpenAiModel(sent.model, sent.dimensions, where);
    if (sent.source === 'composite') checkNestedSources(sent, where);
  }
  if (sent.distribution) checkDistribution(sent.distribution as { mean: number; sigma: number }, where);
}

function checkNestedSources(sent: SentEmbedder, where: string): void {
  for (const nested of ['searchEmbedder', 'indexingEmbedder'] as const) {
    if (!(sent[nested] as SentEmbedder).source) throw refusal(`${where}.${nested}.source`, problemOf('absent'));
  }
}

function checkTemplate({ documentTemplate, documentTemplateMaxBytes }: SentEmbedder, where: string): void {
  if (typeof documentTemplate !== 'string') return;
  parsed(`${where}.documentTemplate`, () => new Template(documentTemplate));
  if (documentTemplateMaxBytes === 0) throw refusal(`${where}.documentTemplateMaxBytes`, problemOf('notPositive', { given: 0 }));
}

function parsed<T>(where: string, parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    if (error instanceof TemplateParseError) throw refusal(where, problemOf('notTemplate', { message: error.message }));
    throw error;
  }
}

function checkUrl(url: string, where: string): void {
  if (!URL.canParse(url)) throw refusal(`${where}.url`, problemOf('notUrl', { url }));
}

function isFilled(fragments: unknown): boolean {
  return !!fragments && Object.values(fragments as Fragments).some((fragment) => fragment !== null);
}

function checkFragments(sent: SentEmbedder, where: string): void {
  for (const field of ['indexingFragments', 'searchFragments'] as const) {
    const fragments = sent[field] as Fragments | null | undefined;
    for (const [name, fragment] of Object.entries(fragments ?? {})) {
      if (fragment) parsed(`${where}.${field}.${name}.value`, () => new FragmentTemplate(fragment.value));
    }
    if (isFilled(fragments) && sent.documentTemplate) throw templateBesideFragments(where);
  }
}

export function templateBesideFragments(where: string): ApiError {
  return apiError('vector_embedding_error', 'templateAndFragments', { place: where });
}

/** Without fragments in the same request, either placeholder is accepted: whether fragments are stored is checked later. */
function checkWire(sent: SentEmbedder, where: string): void {
  const { request, response } = sent;
  if (request === undefined || request === null) return;
  const fragments = isFilled(sent.indexingFragments) || isFilled(sent.searchFragments);
  const placeholder = fragments || JSON.stringify(request).includes(`"${FRAGMENT}"`) ? FRAGMENT : TEXT;
  if (response === undefined || response === null) new JsonTemplate(request, `${where}.request`, placeholder);
  else wirePair(request, response, where, placeholder);
}

/** @throws ApiError invalid_settings_embedders */
export function checkOpenAiModel(model: unknown, dimensions: unknown, where: string): void {
  const name = (model ?? DEFAULT_OPEN_AI_MODEL) as string;
  const known = OPEN_AI_MODELS.get(name);
  if (!known) throw refusal(`${where}.model`, problemOf('unknownModel', { models: listed([...OPEN_AI_MODELS.keys()]), name }));
  if (typeof dimensions !== 'number' || dimensions === known.dimensions) return;
  if (!known.adjustable)
    throw refusal(`${where}.dimensions`, problemOf('fixedDimensions', { dimensions: known.dimensions, name, given: dimensions }));
  if (dimensions > known.dimensions)
    throw refusal(
      `${where}.dimensions`,
      problemOf('tooManyDimensions', { dimensions: known.dimensions, name, given: dimensions }),
    );
}

function checkDistribution({ mean, sigma }: { mean: number; sigma: number }, where: string): void {
  if (!(mean >= 0 && mean <= 1)) throw refusal(`${where}.distribution.mean`, problemOf('badMean', { mean }));
  // The engine computes with 32 bits.
  if (!(Math.fround(sigma) > 0 && sigma <= 1)) throw refusal(`${where}.distribution.sigma`, problemOf('badSigma', { sigma }));
}
