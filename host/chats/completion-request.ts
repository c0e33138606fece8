import { apiError } from '../../bindings/errors.js';
import { type JsonObject, plainValue } from '../../bindings/query/json.js';
import { BOOLEAN, STRING, UNSIGNED } from '../../bindings/query/request-values.js';
import { type Kind, listed, type MemberTable, optional, readObject, required } from '../../bindings/query/validate.js';
import { SEARCH_TOOL } from './search-tool.js';

/** Functions that a client may declare: searches are reported to it as calls of them. */
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
  /** Names of the client's own functions. */
  tools: string[];
  /** The other members, which the model gets as they came. */
  others: Record<string, unknown>;
}

const OBJECTS: Kind<object[]> = {
  schema: { type: 'array', items: { type: 'object' } },
  json: (value, at) =>
    Array.isArray(value) && value.every((one) => one instanceof Map)
      ? (plainValue(value) as object[])
      : at.refuse('an array of objects', value),
  text: (text, at) => at.refuse('given in the body', text),
};

/** What is looked at of the body; the API of the model knows more members. */
export const COMPLETION: MemberTable<{
  model: string;
  messages: object[];
  stream: boolean | null;
  n: number | null;
  tools: object[] | null;
}> = {
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

/** @throws ApiError of what is not done here */
export function checkSupported({ stream, n }: { stream: boolean; n: number }): void {
  if (!stream) throw apiError('unimplemented_non_streaming_chat_completions', 'stream');
  if (n !== 1) throw apiError('unimplemented_multi_choice_chat_completions', 'choices', { n });
}

/** What the client wants to have reported. @throws ApiError for functions that are not known, or not the client's */
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
