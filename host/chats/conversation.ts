import { v4 as uuidv4 } from 'uuid';
import { CLIENT_TOOLS, type ClientTool, type CompletionRequest } from './completion-request.js';
import { ChatFailure } from './failure.js';
import type { Chunk } from './model.js';
import { refused, SEARCH_TOOL, type SearchTool } from './search-tool.js';
import { type ChatSource, promptsOf, type WorkspaceSettings } from './settings.js';
import { AssistantTurn, type ToolCall } from './turn.js';

/** Calls of the model for one completion, each of which may ask for searches. */
const MAX_MODEL_CALLS = 20;

export interface Conversation {
  settings: WorkspaceSettings;
  request: CompletionRequest;
  /** The tools by which the client wants to be notified. */
  clientTools: ReadonlySet<ClientTool>;
  tool: SearchTool;
  ask(body: object): AsyncIterable<Chunk>;
  /** Called before each search. */
  searching(): void;
}

/**
 * Answers a completion request: calls the model again with the results of its searches until it asks for no more. @throws
 * ChatFailure
 */
export async function* converse(conversation: Conversation): AsyncGenerator<Chunk> {
  const { settings, request, clientTools, tool, ask } = conversation;
  const { definition } = tool;
  const system = { role: systemRole(settings.source, request.model), content: promptsOf(settings).system };
  const messages = [system, ...request.messages];
  const body = { ...request.others, model: request.model, ...(definition && { tools: [definition] }), stream: true };
  for (let round = 0; round < MAX_MODEL_CALLS; round++) {
    const turn = new AssistantTurn();
    for await (const chunk of ask({ ...body, messages })) {
      const shown = turn.take(chunk);
      if (shown) yield shown;
    }
    if (turn.calls.length === 0) return;
    const add = function* (message: object): Generator<Chunk> {
      messages.push(message as typeof system);
      if (clientTools.has('messages')) yield callOf(request.model, 'messages', { message });
    };
    yield* add(turn.message);
    for (const call of turn.calls) {
      const { name, arguments: text } = call.function;
      if (clientTools.has('progress'))
        yield callOf(request.model, 'progress', { call_id: call.id, function_name: name, function_arguments: text });
      const found = await answered(conversation, call);
      if (clientTools.has('sources')) yield callOf(request.model, 'sources', { call_id: call.id, sources: found.sources });
      yield* add({ role: 'tool', tool_call_id: call.id, content: found.text });
    }
  }
  throw new ChatFailure(
    `The model asked for searches ${MAX_MODEL_CALLS} times without coming to an answer.`,
    'model_error',
    'too_many_rounds',
  );
}

async function answered({ tool, searching }: Conversation, call: ToolCall) {
  if (call.function.name !== SEARCH_TOOL) return refused(`there is no function \`${call.function.name}\``);
  searching();
  return tool.run(call.function.arguments);
}

/** The role of system prompts: later models of OpenAI call it `developer`. */
function systemRole(source: ChatSource, model: string): 'system' | 'developer' {
  const ofOpenAi = source === 'openAi' || source === 'azureOpenAi';
  return ofOpenAi && !/^(?:chatgpt|gpt-3\.5|gpt-4)/.test(model) ? 'developer' : 'system';
}

/** Notifies the client by a call of one of its tools. */
function callOf(model: string, tool: ClientTool, content: object): Chunk {
  const called = { name: CLIENT_TOOLS[tool], arguments: JSON.stringify(content) };
  const delta = {
    role: 'assistant',
    content: null,
    tool_calls: [{ index: 0, id: uuidv4(), type: 'function', function: called }],
  };
  return {
    id: `chatcmpl-${uuidv4()}`,
    object: 'chat.completion.chunk',
    created: Math.floor(Date.now() / 1000),
    model,
    choices: [{ index: 0, delta, finish_reason: null }],
  };
}
