import type { Test } from 'tap';
import { startServer, type TestServer } from '../server.js';
import { type ChatModel, startChatModel } from './chat-model.js';

export const MASTER_KEY = 'a-master-key-of-the-chat-tests';
export const SEARCH = '_meiliSearchInIndex';
export const CLIENT_TOOLS = ['_meiliSearchProgress', '_meiliSearchSources', '_meiliAppendConversationMessage'];
export const QUESTION = { model: 'gpt-4o', stream: true, messages: [{ role: 'user', content: 'Which films are red?' }] };

export async function start(t: Test, ...flags: string[]): Promise<{ server: TestServer; model: ChatModel }> {
  const server = await startServer(...flags);
  t.teardown(() => server.close());
  const model = await startChatModel(t);
  await server.call('PATCH', '/experimental-features', { chatCompletions: true });
  await server.call('PATCH', '/chats/films/settings', { source: 'vLlm', baseUrl: model.url, apiKey: 'a-secret-key' });
  return { server, model };
}

export async function fill(server: TestServer): Promise<void> {
  await server.task('PATCH', '/indexes/movies/settings', {
    filterableAttributes: ['tenant'],
    chat: { description: 'Films', documentTemplate: '{{ doc.id }}: {{ doc.title }}', searchParameters: { limit: 2 } },
  });
  const documents = ['Red Desert', 'Red Shoes', 'Red River'].map((title, id) => ({ id, title, tenant: id % 2 }));
  await server.task('POST', '/indexes/movies/documents', documents);
  await server.task('POST', '/indexes/secrets/documents', [{ id: 1, title: 'Red Book' }]);
}

/** The events of an answer; the last one is `[DONE]`. */
export async function complete(server: TestServer, body: object, headers?: Record<string, string>) {
  const answer = await server.call('POST', '/chats/films/chat/completions', body, headers);
  const events = String(answer.body).split('\n\n').slice(0, -1);
  const last = events.pop();
  return { ...answer, last, events: events.map((event) => JSON.parse(event.replace(/^data: /, ''))) };
}

export const clientTool = (name: string) => ({ type: 'function', function: { name, parameters: {} } });

/** The function calls in the events of an answer, as [name, arguments]. */
export function functionCalls(
  events: { choices?: { delta: { tool_calls?: { function: { name: string; arguments: string } }[] } }[] }[],
) {
  const parts = events.flatMap((event) => event.choices?.[0]?.delta.tool_calls ?? []);
  return parts.map(({ function: called }) => [called.name, JSON.parse(called.arguments)]);
}
