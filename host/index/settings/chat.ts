import { apiError } from '../../../bindings/errors.js';
import type { ChatSettings, IndexSettings } from '../../../bindings/index-types.js';
import { own } from '../../../bindings/own.js';
import { oneOf, RATIO, STRING, STRINGS, UNSIGNED } from '../../../bindings/query/request-values.js';
import { defaulted, required } from '../../../bindings/query/validate.js';
import { DEFAULT_TEMPLATE, DEFAULT_TEMPLATE_BYTES, Template, TemplateParseError } from '../../templates/template.js';
import { partOf, strictObject } from './settings-kinds.js';

export const DEFAULT_CHAT: ChatSettings = {
  description: '',
  documentTemplate: DEFAULT_TEMPLATE,
  documentTemplateMaxBytes: DEFAULT_TEMPLATE_BYTES,
  searchParameters: {},
};

const HYBRID = strictObject<{ embedder: string; semanticRatio: number }>((code) => ({
  embedder: required(STRING, code),
  semanticRatio: defaulted(RATIO, code, 0.5),
}));

const SEARCH_PARAMETERS = partOf<Record<string, unknown>>({
  hybrid: HYBRID,
  limit: UNSIGNED,
  sort: STRINGS,
  distinct: STRING,
  matchingStrategy: oneOf('last', 'all', 'frequency'),
  attributesToSearchOn: STRINGS,
  rankingScoreThreshold: RATIO,
});

/** The setting `chat` of an index; any subset of its members may be sent. */
export const CHAT = partOf<ChatSettings>({
  description: STRING,
  documentTemplate: STRING,
  documentTemplateMaxBytes: UNSIGNED,
  searchParameters: SEARCH_PARAMETERS,
});

type SentChat = { [K in keyof ChatSettings]?: ChatSettings[K] | null };

/** @throws ApiError invalid_chat_setting_document_template, invalid_settings_embedders */
export function mergeChat({ chat }: IndexSettings, { searchParameters, ...others }: SentChat): Pick<IndexSettings, 'chat'> {
  if (typeof others.documentTemplate === 'string') checkTemplate(others.documentTemplate);
  if (others.documentTemplateMaxBytes === 0) throw apiError('invalid_settings_embedders', 'chatTemplateBytes');
  const parts = Object.entries(others).map(([name, value]) => [name, value ?? own(DEFAULT_CHAT, name)]);
  const parameters = searchParameters === null ? {} : withoutNulls({ ...chat.searchParameters, ...searchParameters });
  return { chat: { ...chat, ...Object.fromEntries(parts), searchParameters: parameters } };
}

function withoutNulls(parameters: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(parameters).filter(([, value]) => value !== null));
}

function checkTemplate(source: string): void {
  try {
    new Template(source);
  } catch (error) {
    if (!(error instanceof TemplateParseError)) throw error;
    throw apiError('invalid_chat_setting_document_template', 'chatTemplate', { reason: error.message });
  }
}
