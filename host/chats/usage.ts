import type { Chunk } from './model.js';

/** Pairs of workspace and model that get a counter of their own. */
const MAX_COUNTED_PAIRS = 1000;

export interface Tokens {
  workspace: string;
  model: string;
  prompt: number;
  completion: number;
  total: number;
}

/** Tokens that chats have used since the launch. */
export class ChatUsage {
  readonly #tokens = new Map<string, Tokens>();
  searches = 0;

  get tokens(): Iterable<Tokens> {
    return this.#tokens.values();
  }

  count(workspace: string, model: string, { usage }: Chunk): void {
    if (!usage) return;
    const key = JSON.stringify([workspace, model]);
    let tokens = this.#tokens.get(key);
    if (!tokens) {
      if (this.#tokens.size >= MAX_COUNTED_PAIRS) return;
      tokens = { workspace, model, prompt: 0, completion: 0, total: 0 };
      this.#tokens.set(key, tokens);
    }
    tokens.prompt += usage.prompt_tokens ?? 0;
    tokens.completion += usage.completion_tokens ?? 0;
    tokens.total += usage.total_tokens ?? 0;
  }
}
