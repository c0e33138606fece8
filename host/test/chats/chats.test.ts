import { SignJWT } from 'jose';
import t from 'tap';
import { calls, ends, says } from '../support/chat-model.js';
import {
  CLIENT_TOOLS,
  clientTool,
  complete,
  fill,
  functionCalls,
  MASTER_KEY,
  QUESTION,
  SEARCH,
  start,
} from '../support/chat-server.js';
import { until } from '../support/until.js';

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
  t.match(functionCalls(events), [
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
