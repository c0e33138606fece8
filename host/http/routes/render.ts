import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ApiError, apiError, errorAs } from '../../../bindings/errors.js';
import type { EmbedderSettings, IndexSettings } from '../../../bindings/index-types.js';
import { own } from '../../../bindings/own.js';
import { INDEX_UID } from '../../../bindings/query/index-uid.js';
import type { JsonValue } from '../../../bindings/query/json.js';
import { ANYTHING, DOCUMENT_ID, STRING, UNSIGNED } from '../../../bindings/query/request-values.js';
import {
  fromJson,
  type Kind,
  listed,
  type Member,
  type MemberTable,
  nullable,
  readObject,
  required,
  shown,
} from '../../../bindings/query/validate.js';
import { isSearchable } from '../../../bindings/ranking/attributes.js';
import { isAllowed } from '../../index/settings/embedders/fields.js';
import type { Feature } from '../../options/features.js';
import { type FragmentScope, FragmentTemplate } from '../../templates/fragment.js';
import type { DocumentScope, SearchScope } from '../../templates/scopes.js';
import { DEFAULT_TEMPLATE, documentScope, Template, TemplateParseError, TemplateRenderError } from '../../templates/template.js';
import { templateDocument, templateValue } from '../../templates/values.js';
import { jsonObject } from '../body.js';
import { indexOf, requireFeature, type Service } from '../service.js';

const TEMPLATE_CODE = 'invalid_render_template';
const INPUT_CODE = 'invalid_render_input';

/** The members that belong to each kind of request, and the feature that it needs. */
interface Variant {
  members: (code: string) => Record<string, Member<unknown>>;
  feature?: Feature;
}

const OBJECT: Kind<Record<string, unknown>> = fromJson({ type: 'object' }, (value, at) =>
  value instanceof Map ? (templateValue(value) as Record<string, unknown>) : at.refuse('an object', value),
);

const POSITIVE: Kind<number> = {
  schema: { type: 'integer', minimum: 1 },
  json: (value, at) => UNSIGNED.json(value, at) || at.refuse('an integer of at least 1', value),
  text: (text, at) => UNSIGNED.text(text, at) || at.refuse('an integer of at least 1', text),
};

const ofEmbedder = (code: string) => ({ indexUid: required(INDEX_UID, code), embedder: required(STRING, code) });
const ofFragment = (code: string) => ({ ...ofEmbedder(code), fragment: required(STRING, code) });

const TEMPLATES: Record<string, Variant> = {
  documentTemplate: { members: ofEmbedder },
  chatDocumentTemplate: { members: (code) => ({ indexUid: required(INDEX_UID, code) }), feature: 'chatCompletions' },
  indexingFragment: { members: ofFragment, feature: 'multimodal' },
  searchFragment: { members: ofFragment, feature: 'multimodal' },
  inlineDocumentTemplate: {
    members: (code) => ({
      inline: required(STRING, code),
      documentTemplateMaxBytes: { kind: nullable(POSITIVE), code, initial: null },
    }),
  },
  inlineFragment: { members: (code) => ({ inline: required(ANYTHING, code) }), feature: 'multimodal' },
};

const INPUTS: Record<string, Variant> = {
  indexDocument: { members: (code) => ({ indexUid: required(INDEX_UID, code), id: required(DOCUMENT_ID, code) }) },
  inlineDocument: { members: (code) => ({ inline: required(OBJECT, code) }) },
  inlineSearch: { members: (code) => ({ inline: required(OBJECT, code) }), feature: 'multimodal' },
};

interface Part {
  kind: string;
  // biome-ignore lint/suspicious/noExplicitAny: members of the kind, as its table read them
  [name: string]: any;
}

function partKind(variants: Record<string, Variant>, code: string): Kind<Part> {
  const kinds = Object.keys(variants);
  return {
    schema: { type: 'object', properties: { kind: { type: 'string', enum: kinds } }, required: ['kind'] },
    json: (value: JsonValue, at): Part => {
      if (!(value instanceof Map)) return at.refuse('an object with `kind`', value);
      const kind = value.get('kind');
      if (typeof kind !== 'string' || !Object.hasOwn(variants, kind)) {
        throw errorAs(code, 'unknownKind', {
          path: at.path,
          kinds: listed(kinds),
          found: kind === undefined ? 'missing' : shown(kind),
        });
      }
      const table = { kind: required(STRING, code), ...own(variants, kind)!.members(code) } as unknown as MemberTable<Part>;
      return readObject(table, value, { path: at.path, code });
    },
    text: (text, at) => at.refuse('an object', text),
  };
}

export const RENDERING: MemberTable<{ template: Part; input: Part | null }> = {
  template: required(partKind(TEMPLATES, TEMPLATE_CODE), TEMPLATE_CODE, 'bad_request'),
  input: { kind: nullable(partKind(INPUTS, INPUT_CODE)), code: INPUT_CODE, initial: null },
};

/** Shows the output of a template for a document, or of a fragment for a document or a search. */
export function renderRoutes(app: FastifyInstance, service: Service): void {
  app.post('/render-template', async (request, reply) => {
    const { template, input } = readObject(RENDERING, await jsonObject(request, service.options.httpPayloadSizeLimit));
    requireFeature(service, 'renderRoute', 'Rendering templates');
    for (const feature of [own(TEMPLATES, template.kind)!.feature, input && own(INPUTS, input.kind)!.feature]) {
      if (feature) requireFeature(service, feature, `This use of \`POST /render-template\``);
    }
    for (const part of [template, input]) if (part?.indexUid) request.access.require(part.indexUid, '`indexUid`');
    const source = sourceOf(service, template);
    const render = compiled(template, source);
    if (input?.kind === 'inlineSearch' && !isFragment(template)) throw apiError('template_rendering_error', 'searchInput');
    const rendered = input ? render(await scopeOf(service, request, template, input)) : null;
    return reply.send({ template: source, rendered });
  });
}

function sourceOf(service: Service, template: Part): unknown {
  if (template.kind.startsWith('inline')) return template.inline;
  const { settings } = indexOf(service, template.indexUid);
  if (template.kind === 'chatDocumentTemplate') return settings.chat.documentTemplate;
  const embedder = embedderOf(settings, template);
  if (template.kind === 'documentTemplate') {
    if (!isAllowed('documentTemplate', embedder.source, 'whole') || embedder.indexingFragments)
      throw apiError(TEMPLATE_CODE, 'noDocumentTemplate', { embedder: template.embedder });
    return embedder.documentTemplate ?? DEFAULT_TEMPLATE;
  }
  const fragments = (template.kind === 'indexingFragment' ? embedder.indexingFragments : embedder.searchFragments) ?? {};
  const fragment = own(fragments, template.fragment);
  if (fragment) return fragment.value;
  const names = Object.keys(fragments);
  throw apiError(TEMPLATE_CODE, 'noFragment', {
    embedder: template.embedder,
    fragment: template.fragment,
    there: names.length > 0 ? `it has ${listed(names)}` : 'it has none',
  });
}

/** The embedder with the template; in a composite embedder the nested one for documents or searches. */
function embedderOf({ embedders }: IndexSettings, { kind, embedder: name, indexUid }: Part): EmbedderSettings {
  const embedder = own(embedders, name as string);
  if (!embedder) throw apiError(TEMPLATE_CODE, 'noEmbedder', { uid: indexUid, name });
  return (kind === 'searchFragment' ? embedder.searchEmbedder : embedder.indexingEmbedder) ?? embedder;
}

/** Others are templates of documents. */
function isFragment({ kind }: Pick<Part, 'kind'>): boolean {
  return kind.endsWith('ragment');
}

type Scope = DocumentScope | SearchScope;

function compiled({ kind }: Part, source: unknown): (scope: Scope) => unknown {
  try {
    if (isFragment({ kind })) {
      const fragment = new FragmentTemplate(source);
      return (scope) => withRenderErrors(() => fragment.render('doc' in scope ? { doc: scope.doc } : (scope as FragmentScope)));
    }
    const template = new Template(source as string);
    return (scope) => withRenderErrors(() => template.render(scope));
  } catch (error) {
    if (error instanceof TemplateParseError) throw apiError('template_parsing_error', 'syntax', { reason: error.message });
    throw error;
  }
}

function withRenderErrors<T>(render: () => T): T {
  try {
    return render();
  } catch (error) {
    if (error instanceof TemplateRenderError) throw apiError('template_rendering_error', 'failed', { reason: error.message });
    throw error;
  }
}

async function scopeOf(service: Service, request: FastifyRequest, template: Part, input: Part): Promise<Scope> {
  if (input.kind === 'inlineSearch') {
    const { q, media } = input.inline as SearchScope;
    return { ...(typeof q === 'string' && { q }), ...(media !== undefined && media !== null && { media }) };
  }
  const uid: string | undefined = input.indexUid ?? template.indexUid;
  const settings = uid === undefined ? null : indexOf(service, uid).settings;
  const isShown = (name: string) => settings === null || isSearchable(settings, name);
  const document = input.kind === 'indexDocument' ? await storedDocument(service, request, input) : input.inline;
  return documentScope(document, isShown);
}

async function storedDocument(
  { searches, features }: Service,
  request: FastifyRequest,
  { indexUid, id }: Part,
): Promise<Record<string, unknown>> {
  const call = { query: [], documentId: id, tokenFilter: request.access.filterOf(indexUid), features: features.current };
  const { status, body, release } = await searches.search('document', indexUid, call, request.raw.socket);
  const text = body.toString();
  release();
  if (status === 200) return templateDocument(text);
  const answer = JSON.parse(text);
  if (answer.code === 'document_not_found') throw new ApiError('render_document_not_found', answer.message);
  throw new ApiError(answer.code, answer.message);
}
