import {
  DEFAULT_LOCAL_MODEL,
  DEFAULT_LOCAL_REVISION,
  DEFAULT_OPEN_AI_MODEL,
  OPEN_AI_MODELS,
} from '../../bindings/embedders/models.js';
import { finiteComponents } from '../../bindings/engine/vectors.js';
import { ApiError, apiError } from '../../bindings/errors.js';
import type { EmbedderSettings, EmbedderSource } from '../../bindings/index-types.js';
import { FRAGMENT, TEXT, wirePair } from '../templates/json-template.js';
import { cutText } from '../templates/template.js';
import type { ModelClient, RequestOptions } from './client.js';
import { EmbedderFailure } from './errors.js';
import type { LocalModels } from './local/local-models.js';
import type { Pooling } from './local/model.js';

/** A model that embeds texts, behind any API. */
export interface ModelSource {
  /** Most texts in one request. */
  texts: number;
  /** Most tokens in one request, estimated. */
  tokens: number;
  /** How a refused batch is split to find the text at fault. */
  cutsRefused: 'in two' | 'singly';
  /** Whether embeddings of documents are worth caching. */
  keeps(): boolean;
  /** One request. @throws {EmbedderFailure} */
  embed(inputs: readonly unknown[], options: RequestOptions): Promise<Float32Array[]>;
}

/** Environment variables of the process. */
export type Environment = Readonly<Record<string, string | undefined>>;

const OPEN_AI_URL = 'https://api.openai.com/v1/embeddings';
const OLLAMA_URL = 'http://localhost:11434/api/embeddings';
/** OpenAI accepts 300,000 tokens per request; the estimate of tokens may be off by a factor of two. */
const OPEN_AI_TOKENS = 150_000;
const OPEN_AI_TEXTS = 512;
/**
 * Lengths in bytes to which a refused text is shortened: OpenAI accepts 8,191 tokens, in most texts of four bytes, never of less
 * than one.
 */
const OPEN_AI_LENGTHS = [8191 * 4, 8191 * 2, 8191];
const REST_TEXTS = 10;
const OLLAMA_TEXTS = 32;
const LOCAL_TEXTS = 256;

/** The clients that models are called with. */
export interface SourceContext {
  client: ModelClient;
  environment: Environment;
  local: Pick<LocalModels, 'embed' | 'isFast'>;
}

type SourceFactory = (settings: EmbedderSettings, where: string, context: SourceContext) => ModelSource;

const FACTORIES: Record<Exclude<EmbedderSource, 'userProvided' | 'composite'>, SourceFactory> = {
  rest: restSource,
  openAi: openAiSource,
  ollama: ollamaSource,
  huggingFace: localSource,
};

/**
 * The model of an embedder that is not composite.
 * @param where path of the embedder in the settings, for messages
 * @throws {ApiError} vector_embedding_error
 */
export function modelSource(settings: EmbedderSettings, where: string, context: SourceContext): ModelSource {
  const { source } = settings;
  if (source === 'userProvided' || source === 'composite') {
    throw apiError('vector_embedding_error', 'noTextsAt', { where });
  }
  return FACTORIES[source](settings, where, context);
}

function authorization(apiKey: string | undefined): Record<string, string> {
  return apiKey === undefined || apiKey === '' ? {} : { authorization: `Bearer ${apiKey}` };
}

function restSource(settings: EmbedderSettings, where: string, { client }: SourceContext): ModelSource {
  const { url = '', apiKey, headers = {}, indexingFragments, searchFragments } = settings;
  const placeholder = indexingFragments || searchFragments ? FRAGMENT : TEXT;
  const { request, response } = wirePair(settings.request, settings.response, where, placeholder);
  return {
    texts: request.repeats ? REST_TEXTS : 1,
    tokens: Number.POSITIVE_INFINITY,
    cutsRefused: 'in two',
    keeps: () => true,
    async embed(inputs, options) {
      const call = { url, headers: { ...authorization(apiKey), ...headers }, body: request.fill(inputs) };
      const answer = await client.post(call, options);
      return vectorsOf(() => response.extract(answer), inputs.length);
    },
  };
}

function openAiSource(settings: EmbedderSettings, where: string, { client, environment }: SourceContext): ModelSource {
  const { model = DEFAULT_OPEN_AI_MODEL, dimensions, url = OPEN_AI_URL } = settings;
  const apiKey = settings.apiKey ?? environment.MEILI_OPENAI_API_KEY ?? environment.OPENAI_API_KEY;
  const sized = dimensions !== undefined && OPEN_AI_MODELS.get(model)?.adjustable === true;
  const { response } = wirePair([TEXT, '{{..}}'], { data: [{ embedding: '{{embedding}}' }, '{{..}}'] }, where, TEXT);
  return {
    texts: OPEN_AI_TEXTS,
    tokens: OPEN_AI_TOKENS,
    cutsRefused: 'singly',
    keeps: () => true,
    async embed(inputs, options) {
      const ask = async (texts: readonly unknown[]) => {
        const body = { model, input: texts, ...(sized ? { dimensions } : {}) };
        const answer = await client.post({ url, headers: authorization(apiKey), body }, options);
        return vectorsOf(() => response.extract(answer), texts.length);
      };
      return inputs.length === 1 ? shortened(String(inputs[0]), (text) => ask([text])) : ask(inputs);
    },
  };
}

/** Calls `ask` with a text and, if it is refused, with shorter and shorter prefixes: it may be longer than the model accepts. */
async function shortened<T>(text: string, ask: (text: string) => Promise<T>): Promise<T> {
  try {
    return await ask(text);
  } catch (error) {
    const shorter = OPEN_AI_LENGTHS.map((bytes) => cutText(text, bytes)).find((cut) => cut.length < text.length);
    if (!(error instanceof EmbedderFailure) || error.kind !== 'texts' || shorter === undefined) throw error;
    return shortened(shorter, ask);
  }
}

function ollamaSource(settings: EmbedderSettings, where: string, { client, environment }: SourceContext): ModelSource {
  const { model, apiKey, dimensions } = settings;
  const url = settings.url ?? environment.MEILI_OLLAMA_URL ?? OLLAMA_URL;
  const many = url.endsWith('/api/embed');
  if (!many && !url.endsWith('/api/embeddings')) {
    throw apiError('vector_embedding_error', 'ollamaUrl', { place: where, url });
  }
  const headers = authorization(apiKey);
  const form = many ? { embeddings: ['{{embedding}}', '{{..}}'] } : { embedding: '{{embedding}}' };
  const { response } = wirePair(many ? [TEXT, '{{..}}'] : TEXT, form, where, TEXT);
  return {
    texts: many ? OLLAMA_TEXTS : 1,
    tokens: Number.POSITIVE_INFINITY,
    cutsRefused: 'in two',
    keeps: () => true,
    async embed(inputs, options) {
      const body = many
        ? { model, input: inputs, ...(dimensions === undefined ? {} : { dimensions }) }
        : { model, prompt: inputs[0] };
      try {
        const answer = await client.post({ url, headers, body }, options);
        return vectorsOf(() => response.extract(answer), inputs.length);
      } catch (error) {
        if (!(error instanceof EmbedderFailure) || !error.message.includes('answered 404')) throw error;
        throw new EmbedderFailure('model', `${error.message} \`ollama pull ${model}\` fetches the model.`);
      }
    },
  };
}

function localSource(settings: EmbedderSettings, _where: string, { local }: SourceContext): ModelSource {
  const { model = DEFAULT_LOCAL_MODEL, pooling = 'useModel' } = settings;
  const revision = settings.revision ?? (settings.model === undefined ? DEFAULT_LOCAL_REVISION : undefined);
  const choice = { model, revision, pooling: pooling as Pooling };
  return {
    texts: LOCAL_TEXTS,
    tokens: Number.POSITIVE_INFINITY,
    cutsRefused: 'in two',
    keeps: () => !local.isFast(choice),
    embed: (inputs, { signal, isQuery = false }) => local.embed(choice, inputs.map(String), isQuery, signal),
  };
}

/** @throws {EmbedderFailure} when the answer does not hold `count` vectors */
function vectorsOf(extract: () => unknown[], count: number): Float32Array[] {
  let found: unknown[];
  try {
    found = extract();
  } catch (error) {
    throw error instanceof ApiError ? new EmbedderFailure('model', error.message) : error;
  }
  if (found.length !== count)
    throw new EmbedderFailure('model', `the model answered ${found.length} embeddings for ${count} texts.`);
  return found.map((vector) => {
    if (!Array.isArray(vector) || !vector.every((value) => typeof value === 'number')) {
      throw new EmbedderFailure('model', 'the model answered an embedding that is no array of numbers.');
    }
    return finiteComponents(Float32Array.from(vector));
  });
}
