import { sortedSet } from '../../bindings/engine/utf8.js';
import type { IndexSettings } from '../../bindings/index-types.js';
import { isSearchable } from '../../bindings/ranking/attributes.js';
import type { Access } from '../auth/access.js';
import type { QueryEmbeddings } from '../embedders/query-embeddings.js';
import type { IndexStore } from '../index/index-store.js';
import type { Features } from '../options/features.js';
import type { SearchPool } from '../search/pool/pool.js';
import { cutText, documentScope, Template, TemplateRenderError } from '../templates/template.js';
import { templateDocument } from '../templates/values.js';
import type { Prompts } from './settings.js';

export const SEARCH_TOOL = '_meiliSearchInIndex';

/** What the searches of a chat run on. */
export interface SearchServices {
  indexStore: IndexStore;
  searches: SearchPool;
  embeddings: QueryEmbeddings;
  features: Features;
}

/** The answer to a search as the model sees it, and the documents that it contains. */
export interface Found {
  text: string;
  sources: Record<string, unknown>[];
}

type Document = Record<string, unknown>;

/** The tool by which models search the indexes that the caller may search. */
export class SearchTool {
  constructor(
    private readonly services: SearchServices,
    private readonly access: Access,
    private readonly prompts: Prompts,
  ) {}

  /** The declaration of the tool for the model; null when there is no index to search. */
  get definition(): object | null {
    const uids = this.#uids();
    if (uids.length === 0) return null;
    const { searchDescription, searchIndexUidParam, searchQParam, searchFilterParam } = this.prompts;
    const settings = uids.map((uid) => [uid, this.#settings(uid)!] as const);
    const described = settings.filter(([, { chat }]) => chat.description !== '');
    const indexes = described.map(([uid, { chat }]) => `\n- \`${uid}\`: ${chat.description}`);
    const filters = settings.map(([uid, { filterableAttributes }]) => `\n- \`${uid}\`: ${JSON.stringify(filterableAttributes)}`);
    const text = (description: string) => ({ type: 'string', description });
    return {
      type: 'function',
      function: {
        name: SEARCH_TOOL,
        description: searchDescription + (indexes.length > 0 ? `\nThe indexes:${indexes.join('')}` : ''),
        parameters: {
          type: 'object',
          properties: {
            index_uid: { ...text(searchIndexUidParam), enum: uids },
            q: text(searchQParam),
            filter: text(`${searchFilterParam}\nThe filterable attributes:${filters.join('')}`),
          },
          required: ['index_uid', 'q', 'filter'],
          additionalProperties: false,
        },
        strict: true,
      },
    };
  }

  /** Runs a search that the model asked for. Errors of the request are returned to the model, which can correct it. */
  async run(text: string): Promise<Found> {
    const { index_uid: uid, q = '', filter = '' } = argumentsOf(text);
    if (typeof uid !== 'string' || !this.#uids().includes(uid)) return refused(`there is no index \`${String(uid)}\``);
    const settings = this.#settings(uid)!;
    const body = { ...settings.chat.searchParameters, q, ...(filter !== '' && filter !== null && { filter }) };
    const { searches, embeddings } = this.services;
    const call = {
      body: Buffer.from(JSON.stringify(body)),
      tokenFilter: this.access.filterOf(uid),
      scope: this.access.scope,
      features: this.services.features.current,
    };
    const answer = await embeddings.answer((made) => searches.search('search', uid, { ...call, embeddings: made }));
    const { message, hits } = templateDocument(answer.body.toString());
    const found = answer.status === 200;
    answer.release();
    return found ? rendered(hits as Document[], settings) : refused(message as string);
  }

  /** The existing indexes that the caller may search. */
  #uids(): string[] {
    if (!this.access.may('search')) return [];
    return sortedSet(this.services.indexStore.indexes.keys()).filter((uid) => this.access.allows(uid));
  }

  #settings(uid: string): IndexSettings | undefined {
    return this.services.indexStore.indexes.get(uid)?.settings;
  }
}

function argumentsOf(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

export function refused(reason: string): Found {
  return { text: `The search failed: ${reason}`, sources: [] };
}

/**
 * The documents rendered by the document template of the index. Documents that do not fit the template are reported in its place.
 */
function rendered(hits: Document[], settings: IndexSettings): Found {
  const { documentTemplate, documentTemplateMaxBytes } = settings.chat;
  const template = new Template(documentTemplate);
  const texts: string[] = [];
  const problems: string[] = [];
  for (const hit of hits) {
    try {
      const scope = documentScope(hit, (name) => isSearchable(settings, name));
      texts.push(cutText(template.render(scope), documentTemplateMaxBytes));
    } catch (error) {
      if (!(error instanceof TemplateRenderError)) throw error;
      problems.push(error.message);
    }
  }
  if (problems.length > 0) texts.push(`Documents that cannot be shown: ${problems.length}, e.g. because ${problems[0]}.`);
  if (texts.length === 0) texts.push('No document was found.');
  return { text: texts.join('\n'), sources: hits };
}
