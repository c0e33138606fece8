import { SignJWT } from 'jose';
import t, { type Test } from 'tap';
import { startServer, type TestServer } from './server.js';
import { type ChatModel, calls, ends, says, startChatModel } from './support/chat-model.js';
import { onlyFile, testFolder } from './support/folders.js';
import { until } from './support/until.js';

const MASTER_KEY = 'a-master-key-of-the-chat-tests';
const SEARCH = '_meiliSearchInIndex';
const CLIENT_TOOLS = ['_meiliSearchProgress', '_meiliSearchSources', '_meiliAppendConversationMessage'];
const QUESTION = { model: 'gpt-4o', stream: true, messages: [{ role: 'user', content: 'Which films are red?' }] };

async function start(t: Test, ...flags: string[]): Promise<{ server: TestServer; model: ChatModel }> {
  const server = await startServer(...flags);
  t.teardown(() => server.close());
  const model = await startChatModel(t);
  await server.call('PATCH', '/experimental-features', { chatCompletions: true });
  await server.call('PATCH', '/chats/films/settings', { source: 'vLlm', baseUrl: model.url, apiKey: 'a-secret-key' });
  return { server, model };
}

async function fill(server: TestServer): Promise<void> {
  await server.task('PATCH', '/indexes/movies/settings', {
    filterableAttributes: ['tenant'],
    chat: { description: 'Films', documentTemplate: '{{ doc.id }}: {{ doc.title }}', searchParameters: { limit: 2 } },
  });
  const documents = ['Red Desert', 'Red Shoes', 'Red River'].map((title, id) => ({ id, title, tenant: id % 2 }));
  await server.task('POST', '/indexes/movies/documents', documents);
  await server.task('POST', '/indexes/secrets/documents', [{ id: 1, title: 'Red Book' }]);
}

/** The events of an answer; the last one is `[DONE]`. */
async function complete(server: TestServer, body: object, headers?: Record<string, string>) {
  const answer = await server.call('POST', '/chats/films/chat/completions', body, headers);
  const events = String(answer.body).split('\n\n').slice(0, -1);
  const last = events.pop();
  return { ...answer, last, events: events.map((event) => JSON.parse(event.replace(/^data: /, ''))) };
}

const clientTool = (name: string) => ({ type: 'function', function: { name, parameters: {} } });

/** The function calls in the events of an answer, as [name, arguments]. */
function told(events: { choices?: { delta: { tool_calls?: { function: { name: string; arguments: string } }[] } }[] }[]) {
  const parts = events.flatMap((event) => event.choices?.[0]?.delta.tool_calls ?? []);
  return parts.map(({ function: called }) => [called.name, JSON.parse(called.arguments)]);
}

t.test('workspaces are created, changed, reset and deleted', async (t) => {
  const dumps = testFolder(t);
  const { server, model } = await start(t, '--dump-dir', dumps);
  const settings = '/chats/films/settings';
  t.match((await server.call('GET', settings)).body, {
    source: 'vLlm',
    baseUrl: model.url,
    apiKey: 'a-XXXX...',
    orgId: null,
    prompts: { system: /\w/, searchQParam: /\w/ },
  });
  const changed = await server.call('PATCH', settings, { prompts: { system: 'Be short.' }, orgId: 'o', apiKey: null });
  t.match(changed, { status: 200, body: { source: 'vLlm', orgId: 'o', apiKey: null, prompts: { system: 'Be short.' } } });
  t.match((await server.call('PATCH', settings, { baseUrl: null })).body, { code: 'bad_request' }, 'what the source needs');
  t.match((await server.call('PATCH', settings, { prompts: 3 })).body, { code: 'invalid_chat_completion_prompts' });
  t.match((await server.call('PATCH', settings, { prompts: { other: 'text' } })).body, { code: 'bad_request' });
  const blank = { source: 'openAi', baseUrl: '', orgId: '', apiVersion: '' };
  t.match(
    await server.call('PATCH', '/chats/blank/settings', blank),
    { status: 200, body: blank },
    'clients send what was not set',
  );
  t.match(await server.call('PATCH', '/chats/blank/settings', { source: 'vLlm' }), {
    status: 400,
    body: { code: 'bad_request' },
  });
  t.match(await server.call('DELETE', '/chats/blank'), { status: 204 });
  t.match((await server.call('PATCH', '/chats/new/settings', { source: 'azureOpenAi' })).body, { code: 'bad_request' });
  t.match((await server.call('PATCH', settings, { baseUrl: 'nowhere' })).body, { code: 'invalid_chat_completion_base_api' });
  t.match((await server.call('PATCH', '/chats/a%2Fb/settings', {})).body, { code: 'invalid_index_uid' });
  for (const uid of ['constructor', '__proto__']) {
    t.match((await server.call('GET', `/chats/${uid}`)).body, { code: 'chat_not_found' });
    t.match(await server.call('PATCH', `/chats/${uid}/settings`, {}), { status: 200, body: { source: 'openAi' } });
  }
  t.same((await server.call('GET', '/chats?limit=2')).body, {
    results: [{ uid: '__proto__' }, { uid: 'constructor' }],
    offset: 0,
    limit: 2,
    total: 3,
  });
  await server.task('POST', '/dumps');
  await server.restart();
  t.same((await server.call('GET', settings)).body, changed.body, 'kept over a restart');
  t.match(await server.call('DELETE', settings), { status: 200, body: { source: 'openAi', baseUrl: null } });
  t.equal((await server.call('DELETE', '/chats/films')).status, 204);
  t.match((await server.call('GET', settings)).body, { code: 'chat_not_found' });

  const other = await startServer('--import-dump', onlyFile(dumps, '.dump'));
  t.teardown(() => other.close());
  t.same((await other.call('GET', settings)).body, changed.body, 'and in dumps');
});

t.test('the setting `chat` of an index is stored, shown and validated', async (t) => {
  const { server } = await start(t);
  const change = (chat: unknown) => server.task('PATCH', '/indexes/movies/settings', { chat });
  const shown = async () => (await server.call('GET', '/indexes/movies/settings/chat')).body;
  t.match(await change({ description: 'Films', searchParameters: { limit: 5, sort: ['year:asc'] } }), { status: 'succeeded' });
  await change({ documentTemplateMaxBytes: 20, searchParameters: { sort: null, hybrid: { embedder: 'e' } } });
  t.match(await shown(), {
    description: 'Films',
    documentTemplate: /field/,
    documentTemplateMaxBytes: 20,
    searchParameters: { limit: 5, hybrid: { embedder: 'e', semanticRatio: 0.5 } },
  });
  t.notOk('sort' in (await shown()).searchParameters);
  const failure = (code: string) => ({ status: 'failed', error: { code, message: /^Index `movies`/ } });
  t.match(await change({ documentTemplate: '{% if %}' }), failure('invalid_chat_setting_document_template'));
  t.match(await change({ documentTemplateMaxBytes: 0 }), failure('invalid_settings_embedders'));
  for (const chat of [{ nope: 1 }, { searchParameters: { hybrid: {} } }, { searchParameters: { rankingScoreThreshold: 2 } }])
    t.match(await server.call('PATCH', '/indexes/movies/settings', { chat }), { body: { code: 'invalid_settings_index_chat' } });
  await change({ searchParameters: null });
  t.same((await shown()).searchParameters, {});
  await server.task('DELETE', '/indexes/movies/settings/chat');
  t.match(await shown(), { description: '', documentTemplateMaxBytes: 400 });
});

t.test('a model searches, and answers', async (t) => {
  const { server, model } = await start(t);
  await fill(server);
  model.answers = [
    calls(SEARCH, { index_uid: 'movies', q: 'red', filter: 'tenant = 0' }),
    { pieces: [says('Two '), says('films.'), ends()] },
  ];
  const plain = await complete(server, { ...QUESTION, temperature: 0.5 });
  t.match(plain, { status: 200, last: 'data: [DONE]' });
  t.match(plain.headers.get('content-type'), 'text/event-stream');
  t.equal(plain.headers.get('x-accel-buffering'), 'no');
  t.same(plain.events, [says('Two '), says('films.'), ends()], 'its calls stay here');

  const [first, second] = model.asked;
  t.match(first, { path: '/v1/chat/completions', headers: { authorization: 'Bearer a-secret-key' } });
  t.match(first!.body, { model: 'gpt-4o', stream: true, temperature: 0.5, messages: [{ role: 'system' }, { role: 'user' }] });
  const [tool] = first!.body.tools;
  t.match(tool.function, { name: SEARCH, description: /`movies`: Films/ });
  t.same(tool.function.parameters.properties.index_uid.enum, ['movies', 'secrets']);
  t.match(tool.function.parameters.properties.filter.description, /"tenant"/);
  t.match(second!.body.messages.slice(2), [
    { role: 'assistant', tool_calls: [{ id: 'call_1', type: 'function', function: { name: SEARCH } }] },
    { role: 'tool', tool_call_id: 'call_1', content: '0: Red Desert\n2: Red River' },
  ]);
});

t.test('a client that declares the tools is notified of searches', async (t) => {
  const { server, model } = await start(t);
  await fill(server);
  const args = { index_uid: 'movies', q: 'red shoes', filter: '' };
  model.answers = [calls(SEARCH, args), { pieces: [says('The shoes.'), ends()] }];
  const { events } = await complete(server, { ...QUESTION, tools: CLIENT_TOOLS.map(clientTool) });
  t.match(told(events), [
    ['_meiliAppendConversationMessage', { message: { role: 'assistant', tool_calls: [{ id: 'call_1' }] } }],
    ['_meiliSearchProgress', { call_id: 'call_1', function_name: SEARCH, function_arguments: JSON.stringify(args) }],
    ['_meiliSearchSources', { call_id: 'call_1', sources: [{ id: 1, title: 'Red Shoes' }] }],
    ['_meiliAppendConversationMessage', { message: { role: 'tool', tool_call_id: 'call_1', content: /^1: Red Shoes/ } }],
  ]);
  t.same(model.asked[0]!.body.tools.length, 1, 'the model is not offered them');
});

t.test('searches of a model are limited to the indexes and filters of the caller', async (t) => {
  const { server, model } = await start(t, '--master-key', MASTER_KEY);
  await fill(server);
  const key = (
    await server.call('POST', '/keys', { actions: ['chatCompletions', 'search'], indexes: ['movies'], expiresAt: null })
  ).body;
  const token = await new SignJWT({ apiKeyUid: key.uid, searchRules: { movies: { filter: 'tenant = 1' } } })
    .setProtectedHeader({ alg: 'HS256' })
    .sign(Buffer.from(key.key));
  const ask = async (index: string, bearer: string) => {
    model.asked.length = 0;
    model.answers = [calls(SEARCH, { index_uid: index, q: 'red', filter: '' }), { pieces: [says('.'), ends()] }];
    const { status } = await complete(server, QUESTION, { authorization: `Bearer ${bearer}` });
    return { status, tools: model.asked[0]?.body.tools, content: model.asked[1]?.body.messages.at(-1).content };
  };
  const seen = await ask('movies', token);
  t.equal(seen.content, '1: Red Shoes', 'the filter of the token holds');
  t.same(seen.tools[0].function.parameters.properties.index_uid.enum, ['movies']);
  t.match((await ask('secrets', key.key)).content, 'there is no index `secrets`');
  const mute = (await server.call('POST', '/keys', { actions: ['chatCompletions'], indexes: ['*'], expiresAt: null })).body;
  t.match(await ask('movies', mute.key), { tools: undefined, content: 'there is no index `movies`' });
  const reader = (await server.call('POST', '/keys', { actions: ['search'], indexes: ['*'], expiresAt: null })).body;
  t.equal((await ask('movies', reader.key)).status, 403);
});

t.test("errors of a model's searches are returned to the model", async (t) => {
  const { server, model } = await start(t);
  await fill(server);
  await server.task('PATCH', '/indexes/secrets/settings', { chat: { documentTemplate: '{{ doc.author }}' } });
  for (const [name, args, content] of [
    [SEARCH, { index_uid: 'constructor', q: 'red' }, 'there is no index'],
    [SEARCH, '{not json', 'there is no index'],
    [SEARCH, { index_uid: 'movies', q: 5 }, 'must be a string'],
    [SEARCH, { index_uid: 'movies', q: '', filter: 'title = 1' }, 'filterable'],
    [SEARCH, { index_uid: 'secrets', q: 'red' }, 'Documents that cannot be shown: 1'],
    [SEARCH, { index_uid: 'movies', q: 'zebra' }, 'No document was found'],
    ['toString', {}, 'there is no function'],
  ] as const) {
    model.asked.length = 0;
    model.answers = [calls(name, args), { pieces: [says('Sorry.'), ends()] }];
    const { events } = await complete(server, QUESTION);
    t.same(events, [says('Sorry.'), ends()], content);
    t.match(model.asked[1]!.body.messages.at(-1).content, content);
  }
  model.answers = [calls(SEARCH, { index_uid: 'movies', q: 'red' })];
  model.asked.length = 0;
  t.match(await complete(server, QUESTION), {
    events: [{ type: 'error', error: { code: 'too_many_rounds' } }],
    last: 'data: [DONE]',
  });
  t.equal(model.asked.length, 20);
});

t.test('errors of the model are reported in the stream', async (t) => {
  const { server, model } = await start(t);
  const errorOf = async () => {
    const { status, events, last } = await complete(server, QUESTION);
    t.match({ status, last }, { status: 200, last: 'data: [DONE]' });
    const event = events.at(-1);
    t.equal(event.event_id, event.error.event_id);
    return event.error;
  };
  const refusal = { message: 'Wrong key', type: 'invalid_request_error', code: 'invalid_api_key', param: 'key' };
  model.answers = [{ status: 401, body: JSON.stringify({ error: refusal }) }];
  t.match(await errorOf(), refusal);
  model.answers = [{ status: 502, body: 'Bad gateway', type: 'text/html' }];
  t.match(await errorOf(), { message: /502.*Bad gateway/, code: null });
  model.answers = [{ status: 200, body: '{}' }];
  t.match(await errorOf(), { message: /stream/ });
  model.answers = [{ pieces: [says('Half'), { error: { message: 'Overloaded', type: 'server_error' } }] }];
  t.match(await errorOf(), { message: 'Overloaded', type: 'server_error' });
  model.answers = [{ status: 200, body: 'data: nothing\n\n', type: 'text/event-stream' }];
  t.match(await errorOf(), { message: /no JSON object/ });
  await server.call('PATCH', '/chats/films/settings', { baseUrl: 'http://169.254.1.1' });
  t.match(await errorOf(), { type: 'model_unreachable', message: /may not be called/ });
});

t.test('a disconnect or a shutdown aborts the call of the model', async (t) => {
  const { server, model } = await start(t);
  model.answers = [{ pieces: [says('Wait')], hang: true }];
  const open = async () => {
    const abort = new AbortController();
    const answer = await fetch(`${server.url}/chats/films/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(QUESTION),
      signal: abort.signal,
    });
    const { value } = await answer.body!.getReader().read();
    t.match(Buffer.from(value!).toString(), 'Wait', 'what has come is there before the end');
    return abort;
  };
  (await open()).abort();
  await until('the model is left', async () => model.left === 1);
  const second = await open();
  await server.stop();
  await until('the model is left again', async () => model.left === 2);
  second.abort();
});

t.test('invalid completion requests are refused', async (t) => {
  const { server, model } = await start(t);
  model.answers = [{ pieces: [ends()] }];
  const tools = (...names: string[]) => ({ ...QUESTION, tools: names.map(clientTool) });
  for (const [body, status, code] of [
    [{ ...QUESTION, stream: undefined }, 501, 'unimplemented_non_streaming_chat_completions'],
    [{ ...QUESTION, n: 2 }, 501, 'unimplemented_multi_choice_chat_completions'],
    [tools('weather'), 501, 'unimplemented_external_function_calling'],
    [tools('constructor'), 501, 'unimplemented_external_function_calling'],
    [tools(SEARCH), 400, 'bad_request'],
    [{ model: 'm', stream: true }, 400, 'bad_request'],
    [{ ...QUESTION, messages: 'hi' }, 400, 'bad_request'],
    [{ ...QUESTION, model: 5 }, 400, 'bad_request'],
  ] as const)
    t.match(await server.call('POST', '/chats/films/chat/completions', body), { status, body: { code } }, code);
  t.match(await server.call('POST', '/chats/none/chat/completions', QUESTION), { status: 404, body: { code: 'chat_not_found' } });
  t.equal(model.asked.length, 0);
  await server.call('PATCH', '/experimental-features', { chatCompletions: false });
  for (const [method, route, body] of [
    ['GET', '/chats'],
    ['DELETE', '/chats/films'],
    ['PATCH', '/chats/films/settings', {}],
    ['POST', '/chats/films/chat/completions', QUESTION],
  ] as const)
    t.match(await server.call(method, route, body), { status: 400, body: { code: 'feature_not_enabled' } }, route);
});

t.test('each source of models gets its form of requests, and usage is counted', async (t) => {
  const { server, model } = await start(t);
  const usage = { prompt_tokens: 7, completion_tokens: 3, total_tokens: 10 };
  model.answers = [{ pieces: [says('Hello'), ends(), { choices: [], usage }] }];
  const base = { baseUrl: model.url, apiKey: 'k' };
  await server.call('PATCH', '/chats/films/settings', { ...base, source: 'openAi', orgId: 'org', projectId: 'project' });
  t.match((await complete(server, { ...QUESTION, model: 'o3' })).events.at(-1), { usage });
  t.match(model.asked[0], {
    path: '/v1/chat/completions',
    headers: { authorization: 'Bearer k', 'openai-organization': 'org', 'openai-project': 'project' },
    body: { messages: [{ role: 'developer' }, { role: 'user' }] },
  });
  await server.call('PATCH', '/chats/films/settings', { source: 'azureOpenAi', deploymentId: 'd', apiVersion: '2024-06-01' });
  await complete(server, QUESTION);
  t.match(model.asked[1], {
    path: '/v1/openai/deployments/d/chat/completions?api-version=2024-06-01',
    headers: { 'api-key': 'k', authorization: undefined },
    body: { messages: [{ role: 'system' }, { role: 'user' }] },
  });
  await server.call('PATCH', '/experimental-features', { metrics: true });
  const metrics = (await server.call('GET', '/metrics')).body;
  t.match(metrics, 'meilisearch_chat_tokens_total{workspace="films",model="o3"} 10');
  t.match(metrics, 'meilisearch_chat_prompt_tokens_total{workspace="films",model="gpt-4o"} 7');
});
