import { apiError } from '../../bindings/errors.js';
import { own } from '../../bindings/own.js';
import { objectOf, oneOf, STRING } from '../../bindings/query/request-values.js';
import { changed, fromJson, type Kind, type MemberTable, readObject } from '../../bindings/query/validate.js';
import { redact } from '../auth/redaction.js';
import { urlProblem } from '../outgoing/targets.js';

export const CHAT_SOURCES = ['openAi', 'azureOpenAi', 'mistral', 'vLlm'] as const;
export type ChatSource = (typeof CHAT_SOURCES)[number];

/** Prompts of workspaces that do not set their own. */
const DEFAULT_PROMPTS = {
  system:
    'You answer questions about the documents of a search engine. Search before you answer, rest the answer on the documents that were found, and say so when they do not hold it.',
  searchDescription: 'Searches an index for the documents that fit a query best, and returns their texts.',
  searchQParam:
    'The words to search for: few and telling ones as for a search box, not a sentence. Empty to list documents that pass the filter.',
  searchFilterParam:
    'A filter expression that documents must pass, such as `genre = "Drama" AND year > 2000`. Empty for none. Only filterable attributes may be named.',
  searchIndexUidParam: 'The index to search.',
};

export type Prompts = typeof DEFAULT_PROMPTS;

/** How a workspace reaches its model; null and empty texts mean that a member is not set. */
export interface WorkspaceSettings {
  source: ChatSource;
  orgId: string | null;
  projectId: string | null;
  apiVersion: string | null;
  deploymentId: string | null;
  baseUrl: string | null;
  apiKey: string | null;
  /** The prompts that were set; {@link DEFAULT_PROMPTS} stand for the others. */
  prompts: Partial<Prompts>;
}

export const DEFAULT_WORKSPACE: WorkspaceSettings = {
  source: 'openAi',
  orgId: null,
  projectId: null,
  apiVersion: null,
  deploymentId: null,
  baseUrl: null,
  apiKey: null,
  prompts: {},
};

/** The body of `PATCH /chats/{workspace}/settings`: `undefined` keeps a member, null resets it. */
export type WorkspaceChange = { [K in Exclude<keyof WorkspaceSettings, 'prompts'>]: WorkspaceSettings[K] | null | undefined } & {
  prompts: { [K in keyof Prompts]: string | null | undefined } | null | undefined;
};

const CODE = 'invalid_chat_completion';

const PROMPTS: MemberTable<NonNullable<WorkspaceChange['prompts']>> = {
  system: changed(STRING, `${CODE}_system_prompt`),
  searchDescription: changed(STRING, `${CODE}_search_description_prompt`),
  searchQParam: changed(STRING, `${CODE}_search_query_param_prompt`),
  searchFilterParam: changed(STRING, `${CODE}_search_filter_param_prompt`),
  searchIndexUidParam: changed(STRING, `${CODE}_search_index_uid_param_prompt`),
};

const PROMPTS_OBJECT: Kind<NonNullable<WorkspaceChange['prompts']>> = {
  ...objectOf(PROMPTS),
  // An unknown prompt is refused as an unknown setting is.
  json: (value, at) =>
    value instanceof Map
      ? readObject(PROMPTS, value, { path: at.path, code: 'bad_request' })
      : at.refuse('an object of prompts', value),
};

const BASE_URL: Kind<string> = fromJson({ type: 'string', format: 'uri' }, (value, at) => {
  // Clients send unset texts as empty strings.
  const isUrl = typeof value === 'string' && (value === '' || urlProblem(value) === null);
  return isUrl ? value : at.refuse('an absolute URL', value);
});

export const WORKSPACE: MemberTable<WorkspaceChange> = {
  source: changed(oneOf(...CHAT_SOURCES), 'bad_request'),
  orgId: changed(STRING, `${CODE}_org_id`),
  projectId: changed(STRING, `${CODE}_project_id`),
  apiVersion: changed(STRING, `${CODE}_api_version`),
  deploymentId: changed(STRING, `${CODE}_deployment_id`),
  baseUrl: changed(BASE_URL, `${CODE}_base_api`),
  apiKey: changed(STRING, `${CODE}_api_key`),
  prompts: changed(PROMPTS_OBJECT, `${CODE}_prompts`),
};

/** The settings that each source requires. */
const NEEDED: Record<ChatSource, readonly (keyof WorkspaceSettings)[]> = {
  openAi: [],
  mistral: [],
  azureOpenAi: ['baseUrl', 'deploymentId', 'apiVersion'],
  vLlm: ['baseUrl'],
};

/** @throws ApiError bad_request when a setting that the source requires is missing */
export function changedWorkspace(old: WorkspaceSettings, { prompts, ...others }: WorkspaceChange): WorkspaceSettings {
  const settings = { ...old, ...withDefaults(others, DEFAULT_WORKSPACE) };
  if (prompts === null) settings.prompts = {};
  else if (prompts) settings.prompts = withoutNulls({ ...old.prompts, ...withDefaults(prompts, {}) });
  const missing = NEEDED[settings.source].find((name) => !settings[name]);
  if (missing) throw apiError('bad_request', 'neededBySource', { member: missing, source: settings.source });
  return settings;
}

/** The members that were sent; those sent as null take their defaults. */
function withDefaults(sent: object, initial: object): object {
  const given = Object.entries(sent).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given.map(([name, value]) => [name, value ?? own(initial, name) ?? null]));
}

function withoutNulls(prompts: object): Partial<Prompts> {
  return Object.fromEntries(Object.entries(prompts).filter(([, text]) => text !== null));
}

export function promptsOf({ prompts }: WorkspaceSettings): Prompts {
  return { ...DEFAULT_PROMPTS, ...prompts };
}

/** The settings as routes show them, with the API key redacted. */
export function workspaceView(settings: WorkspaceSettings): object {
  const { apiKey } = settings;
  return { ...settings, apiKey: apiKey === null ? null : redact(apiKey), prompts: promptsOf(settings) };
}

/** The settings of a workspace in a dump; invalid values are replaced by defaults. */
export function importedWorkspace(value: Record<string, unknown>): WorkspaceSettings {
  const text = (name: string) => {
    const member = own(value, name);
    return typeof member === 'string' ? member : null;
  };
  const prompts = Object.entries((own(value, 'prompts') ?? {}) as object).filter(
    ([name, prompt]) => Object.hasOwn(DEFAULT_PROMPTS, name) && typeof prompt === 'string',
  );
  return {
    source: CHAT_SOURCES.find((source) => source === text('source')) ?? DEFAULT_WORKSPACE.source,
    orgId: text('orgId'),
    projectId: text('projectId'),
    apiVersion: text('apiVersion'),
    deploymentId: text('deploymentId'),
    baseUrl: text('baseUrl'),
    apiKey: text('apiKey'),
    prompts: Object.fromEntries(prompts),
  };
}
