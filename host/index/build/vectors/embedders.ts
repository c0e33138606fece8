import { createHash } from 'node:crypto';
import { dimensionsOf, indexingEmbedder, modelKey } from '../../../../bindings/embedders/models.js';
import { apiError } from '../../../../bindings/errors.js';
import type { EmbedderSettings, IndexSettings } from '../../../../bindings/index-types.js';
import { isSearchable } from '../../../../bindings/ranking/attributes.js';
import { IGNORED_FAILURES } from '../../../options/ignored-failures.js';
import { FragmentTemplate } from '../../../templates/fragment.js';
import {
  cutText,
  DEFAULT_TEMPLATE,
  DEFAULT_TEMPLATE_BYTES,
  documentScope,
  Template,
  TemplateRenderError,
} from '../../../templates/template.js';

/** A text of a document that is embedded. */
export interface EmbeddedText {
  /** Number of the fragment; 0 for a document template. */
  ordinal: number;
  /** A string; for a fragment any JSON value. */
  value: unknown;
}

/** The form in which a value is compared, stored and hashed. */
export const formOf = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value));

export function isSameText(a: EmbeddedText, b: EmbeddedText): boolean {
  return a.ordinal === b.ordinal && typeof a.value === typeof b.value && formOf(a.value) === formOf(b.value);
}

/** An embedder, as applied to the documents of an index. */
export class IndexEmbedder {
  readonly id: number;
  readonly dimensions: number;
  readonly binaryQuantized: boolean;
  /** Whether it generates vectors for documents that do not provide them. */
  readonly generates: boolean;
  readonly hasFragments: boolean;
  /** See {@link modelKey}. */
  readonly model: string;
  readonly #render: (document: Record<string, unknown>) => EmbeddedText[];

  constructor(
    readonly name: string,
    settings: EmbedderSettings,
    index: IndexSettings,
  ) {
    this.id = settings.id ?? 0;
    this.dimensions = dimensionsOf(settings) ?? 0;
    this.binaryQuantized = settings.binaryQuantized === true;
    this.generates = settings.source !== 'userProvided';
    const indexing = indexingEmbedder(settings);
    this.hasFragments = indexing.indexingFragments !== undefined;
    this.model = modelKey(settings);
    this.#render = this.hasFragments ? fragmentsOf(indexing) : templateOf(indexing, index);
  }

  /**
   * The texts of a document that are embedded; of fragments only those that can be rendered.
   * @throws {TemplateRenderError} when the document does not fit the template
   */
  render(document: Record<string, unknown>): EmbeddedText[] {
    return this.#render(document);
  }

  /** Identifies the embedding of a text by this model: 32 hexadecimal digits, equal for equal texts. */
  hash(value: unknown): string {
    return createHash('sha256')
      .update(this.model)
      .update(typeof value === 'string' ? '\0t' : '\0j')
      .update(formOf(value))
      .digest('hex')
      .slice(0, 32);
  }
}

function fragmentsOf({ indexingFragments = {}, fragmentIds = {} }: EmbedderSettings) {
  const ids = new Map(Object.entries(fragmentIds));
  const fragments = Object.entries(indexingFragments)
    .map(([name, { value }]) => ({ ordinal: ids.get(name) ?? 0, template: new FragmentTemplate(value) }))
    .sort((a, b) => a.ordinal - b.ordinal);
  return ({ _vectors, ...doc }: Record<string, unknown>): EmbeddedText[] =>
    fragments.flatMap(({ ordinal, template }) => {
      const rendered = template.tryRender({ doc });
      return rendered ? [{ ordinal, value: rendered.value }] : [];
    });
}

function templateOf(settings: EmbedderSettings, index: IndexSettings) {
  const { documentTemplate = DEFAULT_TEMPLATE, documentTemplateMaxBytes = DEFAULT_TEMPLATE_BYTES } = settings;
  const template = new Template(documentTemplate);
  const searchable = (name: string) => isSearchable(index, name);
  return (document: Record<string, unknown>): EmbeddedText[] => [
    { ordinal: 0, value: cutText(template.render(documentScope(document, searchable)), documentTemplateMaxBytes) },
  ];
}

/** The embedders of an index by name. */
export function indexEmbedders(settings: IndexSettings): Map<string, IndexEmbedder> {
  return new Map(Object.entries(settings.embedders).map(([name, each]) => [name, new IndexEmbedder(name, each, settings)]));
}

/** @throws {ApiError} invalid_document_fields for a document that does not fit the template of an embedder */
export function rendered(embedder: IndexEmbedder, key: string, document: Record<string, unknown>): EmbeddedText[] {
  try {
    return embedder.render(document);
  } catch (error) {
    if (!(error instanceof TemplateRenderError)) throw error;
    if (IGNORED_FAILURES.templates) return [];
    const { _vectors, ...shown } = document;
    throw apiError('invalid_document_fields', 'template', {
      embedder: embedder.name,
      key,
      reason: error.message,
      members: Object.keys(shown).join('`, `'),
    });
  }
}
