import t from 'tap';
import { startServer } from '../server.js';
import { ends } from '../support/chat-model.js';
import { clientTool, QUESTION, SEARCH, start } from '../support/chat-server.js';
import { onlyFile, testFolder } from '../support/folders.js';

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
