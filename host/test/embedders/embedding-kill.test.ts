import path from 'node:path';
import t from 'tap';
import { type SeededRandom, seededRandom } from '../../../bindings/test/random.js';
import { finished, request } from '../server.js';
import { testFolder } from '../support/folders.js';
import { embeddingOf, MODEL_DIMENSIONS, restEmbedder, startModel } from '../support/model.js';
import { kill, launchProcess } from '../support/process.js';
import { until } from '../support/until.js';

/** Documents of each round. */
const DOCUMENTS = 800;
/** More in the long suite. */
const ROUNDS = Number(process.env.EMBEDDING_ROUNDS ?? 1);
/** Texts in a request. */
const REQUEST = 10;
/** Requests under way. */
const PARALLEL = 40;
/** Nearest documents that are compared. */
const NEAREST = 10;
/** Greatest rounding error of similarities in 32 bits. */
const ROUNDING = 1e-5;

const WORDS = ['amber', 'birch', 'cedar', 'dune', 'ember', 'fjord', 'grove', 'heath', 'iris', 'juniper', 'kelp', 'larch'];

function similarity(a: readonly number[], b: readonly number[]): number {
  const dot = (x: readonly number[], y: readonly number[]) => x.reduce((sum, value, i) => sum + value * (y[i] as number), 0);
  return (1 + dot(a, b) / Math.sqrt(dot(a, a) * dot(b, b))) / 2;
}

/** The share of the nearest documents that searches find. */
async function recall(url: string, titles: readonly string[], random: SeededRandom): Promise<number> {
  let found = 0;
  const queries = Array.from({ length: 20 }, () =>
    embeddingOf(`${random.pick(WORDS)} ${random.pick(WORDS)} ${random.pick(WORDS)}`),
  );
  for (const vector of queries) {
    const nearest = titles.map((title) => similarity(vector, embeddingOf(title))).sort((a, b) => b - a);
    const search = { vector, hybrid: { embedder: 'm', semanticRatio: 1 }, limit: NEAREST, showRankingScore: true };
    const { hits } = (await request(url, 'POST', '/indexes/a/search', search)).body;
    const last = (nearest[NEAREST - 1] as number) - ROUNDING;
    found += hits.filter(({ _rankingScore }: { _rankingScore: number }) => _rankingScore >= last).length;
  }
  return found / (queries.length * NEAREST);
}

/** Milliseconds until a kill: short enough to come during the work. */
const someTime = (random: SeededRandom) => new Promise((resolve) => setTimeout(resolve, random.int(60)));

t.test(
  'killed while texts are embedded, documents built and graphs merged: nothing is lost, no text is paid for twice',
  async (t) => {
    const seed = Number(process.env.SEED ?? Date.now() % 2 ** 31);
    t.comment(`seed ${seed}`);
    const random = seededRandom(seed);
    const model = await startModel(t);
    const database = path.join(testFolder(t), 'db');
    // Every segment has a graph.
    const launch = () => launchProcess(database, '--experimental-vector-scan-limit', '0');
    let running = launch();
    t.teardown(() => kill(running.child));
    let url = await running.url;
    let kills = 0;
    const killed = async () => {
      await kill(running.child);
      kills++;
      running = launch();
      url = await running.url;
    };
    const send = async (method: string, route: string, body?: unknown) => (await request(url, method, route, body)).body.taskUid;
    const embedder = restEmbedder(model, { dimensions: MODEL_DIMENSIONS });
    await finished(url, await send('PATCH', '/indexes/a/settings/embedders', { m: embedder }));

    const titles: string[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const documents = Array.from({ length: DOCUMENTS }, (_, place) => {
        const id = round * DOCUMENTS + place;
        return { id, title: `${Array.from({ length: 4 }, () => random.pick(WORDS)).join(' ')} ${id}` };
      });
      titles.push(...documents.map(({ title }) => title));
      model.delay = 50;
      const additions = [
        // Two segments of the round, so that there is something to merge.
        await send('POST', '/indexes/a/documents', documents.slice(0, 20)),
        await send('PATCH', '/indexes/a/settings', { displayedAttributes: ['*'] }),
        await send('POST', '/indexes/a/documents', documents.slice(20)),
        await send('POST', '/indexes/b/documents', [{ id: 1 }]),
      ];
      await until('a part is embedded', () => model.embedded.length >= titles.length - DOCUMENTS / 2);
      await killed();
      model.delay = 0;
      if (ROUNDS > 1) {
        await until('all is embedded', () => new Set(model.embedded).size >= titles.length);
        await someTime(random);
        await killed();
      }
      for (const uid of additions) t.equal((await finished(url, uid)).status, 'succeeded');
      const merge = await send('POST', '/indexes/a/compact');
      await someTime(random);
      await killed();
      t.equal((await finished(url, merge)).status, 'succeeded');
      t.match((await request(url, 'GET', '/indexes/a/stats')).body, {
        numberOfDocuments: titles.length,
        numberOfEmbeddings: titles.length,
      });
      const share = await recall(url, titles, random);
      t.ok(share >= 0.97, `recall ${share}`);
    }

    const times = new Map<string, number>();
    for (const text of model.embedded) times.set(text, (times.get(text) ?? 0) + 1);
    t.equal(times.size, titles.length, 'each text was embedded');
    const again = model.embedded.length - titles.length;
    t.comment(`${kills} kills; ${again} texts were under way when the process was killed`);
    t.ok(again <= kills * PARALLEL * REQUEST, `${again} texts twice, those of requests under way`);
  },
);

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
