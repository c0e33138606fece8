import path from 'node:path';
import t from 'tap';
import { finished, request } from './server.js';
import { testFolder } from './support/folders.js';
import { MODEL_DIMENSIONS, restEmbedder, startModel } from './support/model.js';
import { kill, launchProcess } from './support/process.js';
import { until } from './support/until.js';

const DOCUMENTS = 3000;
/** Texts in a request. */
const REQUEST = 10;
/** Requests under way. */
const PARALLEL = 40;

t.test('killed while texts are embedded: nothing is lost, and no text is paid for twice', async (t) => {
  const model = await startModel(t);
  const database = path.join(testFolder(t), 'db');
  let running = launchProcess(database);
  t.teardown(() => kill(running.child));
  let url = await running.url;
  const send = async (method: string, route: string, body: unknown) => (await request(url, method, route, body)).body.taskUid;
  const embedder = restEmbedder(model, { dimensions: MODEL_DIMENSIONS });
  await finished(url, await send('PATCH', '/indexes/a/settings/embedders', { m: embedder }));

  model.delay = 100;
  const documents = Array.from({ length: DOCUMENTS }, (_, id) => ({ id, title: `item ${id}` }));
  const additions = [
    await send('POST', '/indexes/a/documents', documents),
    await send('POST', '/indexes/a/documents', [{ id: DOCUMENTS, title: 'the last' }]),
    await send('POST', '/indexes/b/documents', [{ id: 1 }]),
  ];
  for (const share of [0.3, 0.7]) {
    await until('a part is embedded', () => model.embedded.length >= share * DOCUMENTS);
    await kill(running.child);
    running = launchProcess(database);
    url = await running.url;
  }
  for (const uid of additions) t.equal((await finished(url, uid)).status, 'succeeded');
  t.match((await request(url, 'GET', '/indexes/a/stats')).body, {
    numberOfDocuments: DOCUMENTS + 1,
    numberOfEmbeddings: DOCUMENTS + 1,
  });

  const times = new Map<string, number>();
  for (const text of model.embedded) times.set(text, (times.get(text) ?? 0) + 1);
  t.equal(times.size, DOCUMENTS + 1, 'each text was embedded');
  const twice = [...times.values()].filter((count) => count > 1).length;
  t.comment(`${twice} texts were under way when the process was killed`);
  t.ok(twice <= 2 * PARALLEL * REQUEST, `${twice} texts twice, those of requests under way`);
});

t.test('failures that the environment says to ignore leave documents without vectors', async (t) => {
  const model = await startModel(t);
  const modes = 'ignore_document_template_failures, ignore_embedder_failures';
  const env = { MEILI_EXPERIMENTAL_CONFIG_EMBEDDER_FAILURE_MODES: modes };
  const { child, url } = launchProcess({ folder: path.join(testFolder(t), 'db'), env });
  t.teardown(() => kill(child));
  const at = await url;
  const task = async (method: string, route: string, body: unknown) =>
    finished(at, (await request(at, method, route, body)).body.taskUid);
  await task('PATCH', '/indexes/a/settings/embedders', { m: restEmbedder(model, { dimensions: MODEL_DIMENSIONS }) });
  model.fault = (texts) => (texts.includes('bad') ? { status: 400 } : null);
  const documents = [{ id: 1, title: 'good' }, { id: 2, title: 'bad' }, { id: 3 }];
  t.match(await task('POST', '/indexes/a/documents', documents), { status: 'succeeded', details: { indexedDocuments: 3 } });
  t.match((await request(at, 'GET', '/indexes/a/stats')).body, { numberOfDocuments: 3, numberOfEmbeddings: 1 });
  t.match((await request(at, 'GET', '/indexes/a/documents/2?retrieveVectors=true')).body._vectors.m, {
    embeddings: [],
    regenerate: true,
  });
});
