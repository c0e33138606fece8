import { type Dispatcher, request } from 'undici';
import { DONE, eventData } from './events.js';
import { ChatFailure } from './failure.js';
import type { ChatSource, WorkspaceSettings } from './settings.js';

/** One chunk of a streamed completion, with the members that the server reads; the others reach the client unchanged. */
export interface Chunk {
  choices?: { index?: number; delta?: Delta; finish_reason?: string | null }[];
  usage?: { prompt_tokens?: number; completion_tokens?: number; total_tokens?: number } | null;
  [member: string]: unknown;
}

export interface Delta {
  content?: string | null;
  tool_calls?: ToolCallPart[] | null;
  [member: string]: unknown;
}

/** Part of a tool call. The arguments of a call come in several parts, which share its `index`. */
export interface ToolCallPart {
  index?: number;
  id?: string;
  type?: string;
  function?: { name?: string; arguments?: string };
}

/** Milliseconds to wait for the first byte of an answer, and for each further chunk. */
const TIMEOUT = 120_000;
/** Milliseconds that a whole answer may take. */
const MAX_ANSWER_MS = 600_000;
/** Bytes that are read of an error answer. */
const MAX_ERROR_BYTES = 1 << 20;
/** Characters of an error answer that a message quotes. */
const SHOWN = 300;

const OPEN_AI_URL = 'https://api.openai.com/v1';
const MISTRAL_URL = 'https://api.mistral.ai/v1';

interface Endpoint {
  url(settings: WorkspaceSettings): string;
  headers(settings: WorkspaceSettings): Record<string, string | null>;
}

const bearer = ({ apiKey }: WorkspaceSettings) => ({ authorization: apiKey ? `Bearer ${apiKey}` : null });

const ENDPOINTS: Record<ChatSource, Endpoint> = {
  openAi: {
    url: ({ baseUrl }) => below(baseUrl || OPEN_AI_URL, 'chat/completions'),
    headers: (settings) => ({
      ...bearer(settings),
      'openai-organization': settings.orgId,
      'openai-project': settings.projectId,
    }),
  },
  azureOpenAi: {
    url: ({ baseUrl, deploymentId, apiVersion }) => {
      const path = `openai/deployments/${encodeURIComponent(deploymentId!)}/chat/completions`;
      return `${below(baseUrl!, path)}?api-version=${encodeURIComponent(apiVersion!)}`;
    },
    headers: ({ apiKey }) => ({ 'api-key': apiKey }),
  },
  mistral: { url: ({ baseUrl }) => below(baseUrl || MISTRAL_URL, 'chat/completions'), headers: bearer },
  vLlm: { url: ({ baseUrl }) => below(baseUrl!, 'chat/completions'), headers: bearer },
};

function below(base: string, path: string): string {
  return `${base.replace(/\/+$/, '')}/${path}`;
}

/** The chunks of a model's answer to a completion request. @throws ChatFailure */
export async function* modelAnswer(
  settings: WorkspaceSettings,
  body: object,
  { dispatcher, signal }: { dispatcher: Dispatcher; signal: AbortSignal },
): AsyncGenerator<Chunk> {
  const endpoint = ENDPOINTS[settings.source];
  const headers = Object.entries(endpoint.headers(settings)).filter(([, value]) => value) as [string, string][];
  try {
    const answer = await request(endpoint.url(settings), {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'text/event-stream', ...Object.fromEntries(headers) },
      body: JSON.stringify(body),
      dispatcher,
      headersTimeout: TIMEOUT,
      bodyTimeout: TIMEOUT,
      signal: AbortSignal.any([signal, AbortSignal.timeout(MAX_ANSWER_MS)]),
    });
    if (answer.statusCode !== 200 || !String(answer.headers['content-type']).startsWith('text/event-stream'))
      throw await refusal(answer.statusCode, answer.body);
    for await (const data of eventData(answer.body)) {
      if (data === DONE) return;
      yield chunkOf(data);
    }
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof ChatFailure) throw error;
    throw new ChatFailure(`The model cannot be asked: ${(error as Error).message}.`, 'model_unreachable');
  }
}

function chunkOf(data: string): Chunk {
  const chunk = parsed(data);
  if (typeof chunk !== 'object' || chunk === null)
    throw new ChatFailure(`The model answered what is no JSON object: \`${data.slice(0, SHOWN)}\`.`, 'model_error');
  if ('error' in chunk && chunk.error) throw ChatFailure.ofModel(chunk, 'The model answered with an error.');
  return chunk as Chunk;
}

async function refusal(status: number, body: AsyncIterable<Buffer>): Promise<ChatFailure> {
  const pieces: Buffer[] = [];
  let length = 0;
  for await (const piece of body) {
    pieces.push(piece);
    length += piece.length;
    if (length > MAX_ERROR_BYTES) break;
  }
  const text = Buffer.concat(pieces).toString();
  const otherwise = status === 200 ? 'The model did not answer with a stream' : `The model answered ${status}`;
  return ChatFailure.ofModel(parsed(text), `${otherwise}: \`${text.slice(0, SHOWN)}\`.`);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
