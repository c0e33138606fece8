import type { Embedders } from 'meilisearch';
import t, { type Test } from 'tap';
import { startServer } from '../server.js';
import { calls, ends, says, startChatModel } from '../support/chat-model.js';
import { restEmbedder, startModel } from '../support/model.js';
import { officialClient } from '../support/official-client.js';

const LAMPS = [
  { id: 1, title: 'brass lamp' },
  { id: 2, title: 'bright lantern' },
  { id: 3, title: 'stool' },
];

async function started(t: Test) {
  const server = await startServer();
  t.teardown(() => server.close());
  const client = officialClient(server.url);
  await client.updateExperimentalFeatures({ multimodal: true, chatCompletions: true, renderRoute: true } as object);
  return { client, index: client.index('shop') };
}

const ids = ({ hits }: { hits: Record<string, unknown>[] }) => hits.map(({ id }) => id);

t.test('the official client drives embedders, hybrid searches and similar documents', async (t) => {
  const { client, index } = await started(t);
  const model = await startModel(t);
  const embedders = {
    words: restEmbedder(model),
    own: { source: 'userProvided', dimensions: 2 },
  } as unknown as Embedders;
  t.match(await index.updateEmbedders(embedders).waitTask(), { status: 'succeeded' });
  t.match(await index.getEmbedders(), { words: { source: 'rest', url: model.url }, own: { dimensions: 2 } });
  const own = [
    [1, 0],
    [0.9, 0.1],
    [0, 1],
  ];
  const documents = LAMPS.map((document, place) => ({ ...document, _vectors: { own: own[place] } }));
  t.match(await index.addDocuments(documents, { primaryKey: 'id' }).waitTask(), { status: 'succeeded' });
  t.same(
    [...model.embedded].filter((text) => text !== 'test').sort(),
    LAMPS.map(({ title }) => title).sort(),
    'what the template renders',
  );

  t.same(ids(await index.search('', { vector: [0, 1], hybrid: { embedder: 'own', semanticRatio: 1 }, limit: 1 })), [3]);
  const hybrid = await index.search('brass', { hybrid: { embedder: 'words', semanticRatio: 0.5 }, retrieveVectors: true });
  t.equal(hybrid.hits[0]?.id, 1);
  t.equal(typeof (hybrid as { semanticHitCount?: number }).semanticHitCount, 'number');
  t.match(hybrid.hits[0]?._vectors, { words: { regenerate: true }, own: { embeddings: [[1, 0]] } });
  t.same(ids(await index.searchSimilarDocuments({ id: 1, embedder: 'own' })), [2, 3]);
  await t.rejects(index.search('x', { hybrid: { embedder: 'nobody', semanticRatio: 1 } }), {
    cause: { code: 'invalid_search_embedder' },
  });
  t.match(
    await client.renderTemplate({
      template: { kind: 'documentTemplate', indexUid: 'shop', embedder: 'words' },
      input: { kind: 'indexDocument', indexUid: 'shop', id: '1' },
    }),
    { rendered: 'brass lamp' },
  );
  t.match(await index.getStats(), { numberOfEmbeddings: 6, numberOfEmbeddedDocuments: 3 });
  t.match(await index.resetEmbedders().waitTask(), { status: 'succeeded' });
  t.same(await index.getEmbedders(), {});
});

t.test('the official client drives fragments and searches by media', async (t) => {
  const { client, index } = await started(t);
  const model = await startModel(t);
  const embedder = {
    ...restEmbedder(model, { dimensions: 8 }),
    documentTemplate: undefined,
    request: { input: ['{{fragment}}', '{{..}}'] },
    indexingFragments: { title: { value: { text: '{{doc.title}}' } } },
    searchFragments: { text: { value: { text: '{{q}}' } }, picture: { value: { text: '{{media.caption}}' } } },
  };
  t.match(await index.updateEmbedders({ m: embedder } as unknown as Embedders).waitTask(), { status: 'succeeded' });
  t.match(await index.addDocuments(LAMPS, { primaryKey: 'id' }).waitTask(), { status: 'succeeded' });
  t.ok(model.embedded.includes('{"text":"stool"}'), 'fragments are sent as JSON');
  const hybrid = { embedder: 'm', semanticRatio: 1 };
  t.equal((await index.search('stool', { hybrid })).hits[0]?.id, 3);
  const media = { caption: 'stool' } as unknown as never;
  t.equal((await index.search(null, { media, hybrid })).hits[0]?.id, 3);
  t.match(
    await client.renderTemplate({
      template: { kind: 'searchFragment', indexUid: 'shop', embedder: 'm', fragment: 'picture' } as never,
      input: { kind: 'inlineSearch', inline: { media: { caption: 'a stool' } } } as never,
    }),
    { rendered: { text: 'a stool' } },
  );
});

t.test('the official client drives a chat that searches by meaning', async (t) => {
  const { client, index } = await started(t);
  const [model, speaker] = [await startModel(t), await startChatModel(t)];
  await index.updateEmbedders({ words: restEmbedder(model) } as unknown as Embedders).waitTask();
  await index.addDocuments(LAMPS, { primaryKey: 'id' }).waitTask();
  const searchParameters = { hybrid: { embedder: 'words', semanticRatio: 1 }, limit: 1 };
  await index.updateChat({ description: 'Lamps', documentTemplate: '{{doc.title}}', searchParameters }).waitTask();
  speaker.answers = [
    calls('_meiliSearchInIndex', { index_uid: 'shop', q: 'stool', filter: null }),
    { pieces: [says('Take the stool.'), ends()] },
  ];
  await client.chat('guide').update({ source: 'vLlm', baseUrl: speaker.url });
  const messages = [{ role: 'user' as const, content: 'Where shall I sit?' }];
  const stream = await client.chat('guide').streamCompletion({ model: 'any', messages, stream: true });
  t.match(await new Response(stream).text(), /Take the stool\..*data: \[DONE\]/s);
  const told = speaker.asked.at(-1)?.body.messages.at(-1);
  t.match(told, { role: 'tool', content: /stool/ }, 'the model is told what was found');
});
