import { ChatFailure } from './failure.js';
import type { Chunk, ToolCallPart } from './model.js';

/** A tool call that the model asked for. */
export interface ToolCall {
  id: string;
  type: 'function';
  function: { name: string; arguments: string };
}

/** Tool calls that a model may make in one answer. */
const MAX_TOOL_CALLS = 64;
/** Characters of the arguments of all tool calls together. */
const MAX_ARGUMENTS_LENGTH = 1 << 20;

/** One answer of the model, assembled from its chunks. */
export class AssistantTurn {
  readonly #calls = new Map<number, ToolCall>();
  #content = '';
  #length = 0;

  get calls(): ToolCall[] {
    return [...this.#calls.values()];
  }

  /** The answer as a message of the conversation. */
  get message(): object {
    return { role: 'assistant', content: this.#content === '' ? null : this.#content, tool_calls: this.calls };
  }

  /**
   * Adds a chunk.
   * @returns the part of it that is for the client; null when there is none. Tool calls, and the end of an answer that contains
   * some, stay on the server.
   */
  take(chunk: Chunk): Chunk | null {
    const choice = Array.isArray(chunk.choices) ? chunk.choices[0] : undefined;
    if (!choice) return chunk;
    const { tool_calls: parts, ...delta } = choice.delta ?? {};
    if (typeof delta.content === 'string') this.#content += delta.content;
    if (!Array.isArray(parts) || parts.length === 0) return choice.finish_reason && this.#calls.size > 0 ? null : chunk;
    for (const part of parts) this.#add(part);
    return delta.content ? { ...chunk, choices: [{ ...choice, delta, finish_reason: null }] } : null;
  }

  #add({ index, id, function: called = {} }: ToolCallPart): void {
    const key = index ?? this.#calls.size;
    let call = this.#calls.get(key);
    if (!call) {
      call = { id: id ?? `call_${key}`, type: 'function', function: { name: '', arguments: '' } };
      this.#calls.set(key, call);
    }
    call.function.name += called.name ?? '';
    call.function.arguments += called.arguments ?? '';
    this.#length += (called.name ?? '').length + (called.arguments ?? '').length;
    if (this.#calls.size > MAX_TOOL_CALLS || this.#length > MAX_ARGUMENTS_LENGTH)
      throw new ChatFailure('The model asks for more than can be done in one turn.', 'model_error');
  }
}
