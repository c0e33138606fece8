import { sortedSet } from '../../../../bindings/engine/utf8.js';
import { type ApiError, apiError, problemOf } from '../../../../bindings/errors.js';
import type { EmbedderSettings, EmbedderSource, Fragment, IndexSettings } from '../../../../bindings/index-types.js';
import { FRAGMENT, TEXT, wirePair } from '../../../templates/json-template.js';
import { checkOpenAiModel, templateBesideFragments } from './check.js';
import { checkFields, type EmbedderField, FIELDS, isAllowed, KEPT_FIELDS, type Role, refusal } from './fields.js';
import type { SentEmbedder } from './kinds.js';

/** Most embedders of an index, and most indexing fragments of an embedder. */
const MAX_EMBEDDERS = 256;

type Stored = Pick<IndexSettings, 'embedders' | 'embedderIds'>;
type SentEmbedders = Record<string, SentEmbedder | null>;

/**
 * The embedders of an index after a change.
 * @throws ApiError invalid_settings_embedders, vector_embedding_error: what was sent does not go with what is stored
 */
export function mergeEmbedders({ embedders, embedderIds }: Stored, sent: SentEmbedders): Stored {
  const merged = new Map(Object.entries(embedders));
  let ids = embedderIds;
  for (const [name, change] of Object.entries(sent)) {
    if (change === null) {
      merged.delete(name);
      continue;
    }
    const before = merged.get(name);
    const embedder = mergeEmbedder(before, change, 'whole', `.embedders.${name}`);
    merged.set(name, { ...embedder, id: before?.id ?? ids++ });
  }
  if (merged.size > MAX_EMBEDDERS)
    throw refusal('.embedders', problemOf('tooManyEmbedders', { count: merged.size, limit: MAX_EMBEDDERS }));
  const inOrder = sortedSet(merged.keys()).map((name) => [name, merged.get(name)!]);
  return { embedders: Object.fromEntries(inOrder), embedderIds: ids };
}

function mergeEmbedder(stored: EmbedderSettings | undefined, sent: SentEmbedder, role: Role, where: string): EmbedderSettings {
  const source = (sent.source === undefined ? (stored?.source ?? 'openAi') : (sent.source ?? 'openAi')) as EmbedderSource;
  const merged = stored === undefined || stored.source !== source ? afterSource(stored, source, role) : { ...stored };
  for (const field of FIELDS) {
    if (sent[field] !== undefined) setField(merged, field, sent[field], where);
  }
  if (stored?.source === source && stored.binaryQuantized === true && sent.binaryQuantized === false) throw unquantized(where);
  if (stored?.binaryQuantized === true && merged.binaryQuantized !== true) throw unquantized(where);
  const given = FIELDS.filter((field) => sent[field] !== undefined);
  checkFields(source, role, where, given, new Set(FIELDS.filter((field) => merged[field] !== undefined)));
  if (source === 'openAi') checkOpenAiModel(merged.model, merged.dimensions, where);
  if (source === 'rest') settleFragments(merged, sent, role, where);
  if (ofModel(stored) !== ofModel(merged)) delete merged.inferredDimensions;
  return merged;
}

function unquantized(where: string): ApiError {
  return refusal(`${where}.binaryQuantized`, problemOf('quantizedForGood'));
}

function afterSource(stored: EmbedderSettings | undefined, source: EmbedderSource, role: Role): EmbedderSettings {
  const kept = KEPT_FIELDS.filter((field) => stored?.[field] !== undefined && isAllowed(field, source, role));
  return { source, ...Object.fromEntries(kept.map((field) => [field, stored![field]])) };
}

function setField(merged: EmbedderSettings, field: EmbedderField, value: unknown, where: string): void {
  const target = merged as unknown as Record<string, unknown>;
  if (value === null) {
    delete target[field];
  } else if (field === 'searchEmbedder' || field === 'indexingEmbedder') {
    target[field] = mergeEmbedder(merged[field], value as SentEmbedder, field, `${where}.${field}`);
  } else if (field === 'indexingFragments' || field === 'searchFragments') {
    target[field] = mergeFragments(merged[field], value as Record<string, Fragment | null>);
  } else {
    target[field] = value;
  }
}

function mergeFragments(stored: Record<string, Fragment> = {}, sent: Record<string, Fragment | null>): Record<string, Fragment> {
  const merged = new Map<string, Fragment | null>([...Object.entries(stored), ...Object.entries(sent)]);
  const names = sortedSet(merged.keys()).filter((name) => merged.get(name) !== null);
  return Object.fromEntries(names.map((name) => [name, merged.get(name)!]));
}

/** Fragments replace a template; indexing and search fragments must both be present, or neither. */
function settleFragments(merged: EmbedderSettings, sent: SentEmbedder, role: Role, where: string): void {
  const count = (fragments: Record<string, Fragment> = {}) => Object.keys(fragments).length;
  const [indexing, search] = [count(merged.indexingFragments), count(merged.searchFragments)];
  const fail = (problem: string) => apiError('vector_embedding_error', 'problem', { place: where, problem });
  for (const field of ['indexingFragments', 'searchFragments'] as const) {
    if (count(merged[field]) > MAX_EMBEDDERS)
      throw refusal(`${where}.${field}`, problemOf('tooManyFragments', { limit: MAX_EMBEDDERS }));
    if (count(merged[field]) === 0) delete merged[field];
  }
  if (role === 'whole' && indexing > 0 !== search > 0) {
    const [one, other] = indexing > 0 ? ['indexingFragments', 'searchFragments'] : ['searchFragments', 'indexingFragments'];
    throw fail(problemOf('oneKindOfFragments', { one, other }));
  }
  const withFragments = indexing + search > 0;
  if (withFragments) {
    if (sent.documentTemplate) throw templateBesideFragments(where);
    if (merged.dimensions === undefined) throw fail(problemOf('fragmentsWithoutDimensions'));
    delete merged.documentTemplate;
    delete merged.documentTemplateMaxBytes;
  }
  if (indexing > 0) merged.fragmentIds = fragmentIds(merged.fragmentIds, Object.keys(merged.indexingFragments!));
  else delete merged.fragmentIds;
  wirePair(merged.request, merged.response, where, withFragments ? FRAGMENT : TEXT);
}

/** A fragment keeps its number while it exists; new fragments take the lowest free numbers, in the order of their names. */
function fragmentIds(before: Record<string, number> = {}, names: string[]): Record<string, number> {
  const kept = new Map(Object.entries(before));
  const ids = new Map(names.flatMap((name): [string, number][] => (kept.has(name) ? [[name, kept.get(name)!]] : [])));
  const taken = new Set(ids.values());
  for (const name of names) {
    if (ids.has(name)) continue;
    let free = 0;
    while (taken.has(free)) free++;
    taken.add(free);
    ids.set(name, free);
  }
  return Object.fromEntries(ids);
}

/** The members on which the dimensions of a model depend. */
function ofModel(embedder: EmbedderSettings | undefined): string {
  if (!embedder) return '';
  const { source, model, revision, dimensions, url, request, response, searchEmbedder, indexingEmbedder } = embedder;
  const nested = [searchEmbedder, indexingEmbedder].map(ofModel);
  return JSON.stringify([source, model, revision, dimensions, url, request, response, nested]);
}
