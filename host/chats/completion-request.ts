import { apiError } from '../../bindings/errors.js';
import { type JsonObject, plainValue } from '../../bindings/query/json.js';
import { BOOLEAN, STRING, UNSIGNED } from '../../bindings/query/request-values.js';
import { fromJson, type Kind, listed, optional, readObject, required } from '../../bindings/query/validate.js';
import { SEARCH_TOOL } from './search-tool.js';

/** Tools that a client may declare to be notified: the server reports searches to it as calls of these tools. */
export const CLIENT_TOOLS = {
  progress: '_meiliSearchProgress',
  sources: '_meiliSearchSources',
  messages: '_meiliAppendConversationMessage',
} as const;

export type ClientTool = keyof typeof CLIENT_TOOLS;

/** A request for a completion. */
export interface CompletionRequest {
  model: string;
  messages: object[];
  /** Names of the tools that the client declared. */
  tools: string[];
  /** All other members, passed to the model unchanged. */
  others: Record<string, unknown>;
}

const OBJECTS: Kind<object[]> = fromJson({ type: 'array', items: { type: 'object' } }, (value, at) =>
  Array.isArray(value) && value.every((one) => one instanceof Map)
    ? (plainValue(value) as object[])
    : at.refuse('an array of objects', value),
);

/** The members of the body that the server reads; others are passed to the model. */
export const COMPLETION = {
  model: required(STRING, 'bad_request'),
  messages: required(OBJECTS, 'bad_request'),
  stream: optional(BOOLEAN, 'bad_request'),
  n: optional(UNSIGNED, 'bad_request'),
  tools: optional(OBJECTS, 'bad_request'),
};

/** @throws ApiError bad_request */
export function readCompletion(body: JsonObject): CompletionRequest & { stream: boolean; n: number } {
  const { model, messages, stream, n, tools } = readObject(COMPLETION, body, { path: '', code: 'bad_request', lenient: true });
  const others = new Map([...body].filter(([name]) => !Object.hasOwn(COMPLETION, name)));
  const names = (tools ?? []).map((tool) => (tool as { function?: { name?: unknown } }).function?.name);
  return {
    model,
    messages,
    stream: stream ?? false,
    n: n ?? 1,
    tools: names.map(String),
    others: plainValue(others) as Record<string, unknown>,
  };
}

/** @throws ApiError for options that are not supported: answers without streaming, several choices */
export function checkSupported({ stream, n }: { stream: boolean; n: number }): void {
  if (!stream) throw apiError('unimplemented_non_streaming_chat_completions', 'stream');
  if (n !== 1) throw apiError('unimplemented_multi_choice_chat_completions', 'choices', { n });
}

/** The tools among {@link CLIENT_TOOLS} that the client declared. @throws ApiError for any other tool */
export function clientTools(names: readonly string[]): ReadonlySet<ClientTool> {
  const wanted = new Set<ClientTool>();
  for (const name of names) {
    if (name === SEARCH_TOOL) throw apiError('bad_request', 'ownFunction', { name });
    const known = (Object.keys(CLIENT_TOOLS) as ClientTool[]).find((tool) => CLIENT_TOOLS[tool] === name);
    if (!known)
      throw apiError('unimplemented_external_function_calling', 'function', { name, known: listed(Object.values(CLIENT_TOOLS)) });
    wanted.add(known);
  }
  return wanted;
}
