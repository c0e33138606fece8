import { type Dispatcher, request } from 'undici';
import { ApiError } from '../../bindings/errors.js';

export interface RerankerOptions {
  url: string;
  apiKey: string;
  dispatcher: Dispatcher;
}

const MODEL = 'rerank-english-v3.0';
/** Attempts, and the milliseconds between them. */
const TRIES = 3;
const PAUSE_MS = 50;
/** Characters of an answer that a message quotes. */
const SHOWN = 300;

/** The error code for a status, and whether a retry may succeed. */
function refusal(status: number): { code: string; passes: boolean } {
  if (status === 401 || status === 403) return { code: 'remote_invalid_api_key', passes: false };
  if (status === 429) return { code: 'too_many_search_requests', passes: true };
  if (status >= 500) return { code: 'remote_remote_error', passes: true };
  return { code: 'remote_bad_request', passes: false };
}

class Refused extends ApiError {
  constructor(
    code: string,
    message: string,
    readonly passes: boolean,
  ) {
    super(code, `The service that personalizes results ${message}`);
  }
}

/** A service that reranks texts for a query, with the API of Cohere. */
export class Reranker {
  constructor(private readonly options: RerankerOptions) {}

  /**
   * The positions of the documents, best first.
   * @throws {ApiError} remote_invalid_api_key, too_many_search_requests, remote_bad_request, remote_remote_error,
   * remote_could_not_send_request, remote_bad_response; the abort reason of `signal`
   */
  async order(query: string, documents: readonly string[], signal: AbortSignal): Promise<number[]> {
    const body = JSON.stringify({ model: MODEL, query, documents, return_documents: false });
    for (let attempt = 1; ; attempt++) {
      try {
        return placesOf(await this.#post(body, signal), documents.length);
      } catch (error) {
        signal.throwIfAborted();
        if (!(error instanceof Refused) || !error.passes || attempt === TRIES) throw error;
        await new Promise((resolve) => setTimeout(resolve, PAUSE_MS * attempt));
      }
    }
  }

  async #post(body: string, signal: AbortSignal): Promise<string> {
    const { url, apiKey, dispatcher } = this.options;
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${apiKey}` };
    const answer = await request(url, { method: 'POST', headers, body, dispatcher, signal }).catch((error: Error) => {
      throw new Refused('remote_could_not_send_request', `could not be asked: ${error.message}.`, true);
    });
    const text = await answer.body.text();
    if (answer.statusCode >= 200 && answer.statusCode < 300) return text;
    const { code, passes } = refusal(answer.statusCode);
    throw new Refused(code, `answered ${answer.statusCode}: \`${text.slice(0, SHOWN)}\`.`, passes);
  }
}

/** Documents that the answer does not mention come last, in their order. */
function placesOf(text: string, count: number): number[] {
  const places = new Set<number>();
  try {
    const { results } = JSON.parse(text) as { results: { index: number }[] };
    for (const { index } of results) {
      if (!Number.isInteger(index) || index < 0 || index >= count) throw new Error(`${index} is no place`);
      places.add(index);
    }
  } catch {
    throw new Refused('remote_bad_response', `answered what cannot be read: \`${text.slice(0, SHOWN)}\`.`, false);
  }
  for (let place = 0; place < count; place++) places.add(place);
  return [...places];
}
