import type { FastifyBaseLogger } from 'fastify';
import type { Dispatcher } from 'undici';
import { v4 as uuidv4 } from 'uuid';
import type { Access } from '../auth/access.js';
import { type CompletionRequest, clientTools } from './completion-request.js';
import { converse } from './conversation.js';
import { DONE, eventOf } from './events.js';
import { ChatFailure } from './failure.js';
import { type Chunk, modelAnswer } from './model.js';
import { type SearchServices, SearchTool } from './search-tool.js';
import { promptsOf } from './settings.js';
import type { WorkspaceStore } from './store.js';
import { ChatUsage } from './usage.js';

/** Chat completions over the indexes, and the workspaces that configure them. */
export class Chats {
  readonly usage = new ChatUsage();

  constructor(
    readonly workspaces: WorkspaceStore,
    private readonly dispatcher: Dispatcher,
    private readonly services: SearchServices,
    private readonly log: FastifyBaseLogger,
  ) {}

  /**
   * Answers a completion request with server-sent events. Failures of the model are events too. The stream ends early when
   * `signal` is aborted.
   * @throws ApiError when the request is wrong, before the first event
   */
  complete(workspace: string, request: CompletionRequest, access: Access, signal: AbortSignal): AsyncIterable<string> {
    const settings = this.workspaces.find(workspace);
    const { dispatcher, usage } = this;
    const answer = converse({
      settings,
      request,
      clientTools: clientTools(request.tools),
      tool: new SearchTool(this.services, access, promptsOf(settings)),
      searching: () => {
        usage.searches++;
      },
      async *ask(body: object): AsyncGenerator<Chunk> {
        for await (const chunk of modelAnswer(settings, body, { dispatcher, signal })) {
          usage.count(workspace, request.model, chunk);
          yield chunk;
        }
      },
    });
    return this.#events(answer, signal);
  }

  async *#events(answer: AsyncIterable<Chunk>, signal: AbortSignal): AsyncGenerator<string> {
    try {
      for await (const chunk of answer) yield eventOf(chunk);
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof ChatFailure)) this.log.error({ err: error }, 'a chat failed');
      yield eventOf(errorEvent(error));
    }
    yield `data: ${DONE}\n\n`;
  }
}

function errorEvent(error: unknown): object {
  const known = error instanceof ChatFailure;
  const { type, code, param } = known ? error : { type: 'internal', code: 'internal', param: null };
  const eventId = uuidv4();
  const { message } = error as Error;
  return { event_id: eventId, type: 'error', error: { type, code, message, param, event_id: eventId } };
}
