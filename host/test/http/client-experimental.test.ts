import type { FederatedMultiSearchParams, Meilisearch } from 'meilisearch';
import t, { type Test } from 'tap';
import { startServer, type TestServer } from '../server.js';
import { ends, says, startChatModel } from '../support/chat-model.js';
import { officialClient } from '../support/official-client.js';

const DOCUMENTS = [
  { id: 1, title: 'brass lamp' },
  { id: 2, title: 'lamp' },
  { id: 3, title: 'stool' },
];
const FEATURES = { network: true, dynamicSearchRules: true, chatCompletions: true };

/** A server with documents, its experimental features switched on by the official client. */
async function started(t: Test): Promise<{ server: TestServer; client: Meilisearch }> {
  const server = await startServer();
  t.teardown(() => server.close());
  const client = officialClient(server.url);
  await client.updateExperimentalFeatures(FEATURES);
  await client.index('shop').addDocuments(DOCUMENTS, { primaryKey: 'id' }).waitTask();
  return { server, client };
}

t.test('the official client drives dynamic search rules', async (t) => {
  const { client } = await started(t);
  const actions = [{ selector: { id: '3' }, action: { type: 'pin', position: 0 } } as const];
  t.match(await client.updateDynamicSearchRule('seats', { actions }).waitTask(), { status: 'succeeded' });
  const { hits } = await client.index('shop').search('lamp');
  t.equal(hits[0]?.id, 3, 'the pinned document comes first');
  t.match(await client.getDynamicSearchRules(), { results: [{ uid: 'seats' }] });
  await client.deleteDynamicSearchRule('seats').waitTask();
  t.equal((await client.index('shop').search('lamp')).hits[0]?.id, 2);
});

t.test('the official client joins two servers and searches both', async (t) => {
  const [here, there] = await Promise.all([started(t), started(t)]);
  const remotes = { here: { url: here.server.url }, there: { url: there.server.url } };
  await here.client.updateNetwork({ self: 'here', remotes });
  t.match(await here.client.getNetwork(), { self: 'here', remotes: { there: { url: there.server.url } } });
  const queries = ['here', 'there'].map((remote) => ({ indexUid: 'shop', q: 'brass', federationOptions: { weight: 1, remote } }));
  const answer = await here.client.multiSearch<FederatedMultiSearchParams>({ federation: {}, queries });
  t.match(
    answer.hits.map(({ id, _federation }) => [id, { ..._federation }]),
    [
      [1, { remote: 'here' }],
      [1, { remote: 'there' }],
    ],
  );
});

t.test('the official client drives chats', async (t) => {
  const { client } = await started(t);
  const model = await startChatModel(t);
  model.answers = [{ pieces: [says('A lamp.'), ends()] }];
  const chat = client.chat('guide');
  await chat.update({ source: 'vLlm', baseUrl: model.url });
  t.match(await client.getChatWorkspaces(), { results: [{ uid: 'guide' }] });
  const messages = [{ role: 'user' as const, content: 'What shines?' }];
  const stream = await chat.streamCompletion({ model: 'any', messages, stream: true });
  t.match(await new Response(stream).text(), /A lamp\..*data: \[DONE\]/s);
  await client.deleteChatWorkspace('guide');
  t.match(await client.getChatWorkspaces(), { results: [] });
});
