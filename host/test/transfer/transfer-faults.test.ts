import fs from 'node:fs';
import path from 'node:path';
import t from 'tap';
import { seededRandom } from '../../../bindings/test/random.js';
import { finished, request } from '../server.js';
import { onlyFile, testFolder } from '../support/folders.js';
import { kill, launchProcess } from '../support/process.js';
import { until } from '../support/until.js';

/** Number of kills while files are written or read, each at a random moment. */
const KILLS = 2;
const DOCUMENTS = Array.from({ length: 5000 }, (_, id) => ({
  id,
  text: `word${id % 100} ${'some text to fill the files '.repeat(20)}`,
}));

const seed = Number(process.env.SEED ?? Date.now() % 2 ** 31);
const random = seededRandom(seed);
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Documents that contain one of the hundred words. */
async function found(url: string): Promise<number> {
  const { body } = await request(url, 'POST', '/indexes/a/search', { q: '"word7"', limit: 1000 });
  return body.hits.length;
}

t.test('kills during dumps, snapshots and imports leave sound databases', async (t) => {
  t.comment(`seed ${seed}`);
  const folder = testFolder(t);
  const database = path.join(folder, 'db');
  const output = path.join(folder, 'output');
  const flags = ['--dump-dir', output, '--snapshot-dir', output];
  let { child, url } = launchProcess(database, ...flags);
  t.teardown(() => kill(child));
  const { body } = await request(await url, 'POST', '/indexes/a/documents', DOCUMENTS);
  t.equal((await finished(await url, body.taskUid)).status, 'succeeded');

  const interrupted: number[] = [];
  for (const route of ['/dumps', '/snapshots']) {
    for (let i = 0; i < KILLS; i++) {
      const { body } = await request(await url, 'POST', route);
      interrupted.push(body.taskUid);
      await pause(random.int(120));
      await kill(child);
      ({ child, url } = launchProcess(database, ...flags));
    }
  }
  for (const uid of interrupted) t.equal((await finished(await url, uid)).status, 'succeeded', `task ${uid} ran again`);
  t.equal(await found(await url), 50);
  t.same(fs.readdirSync(path.join(database, 'staging')), [], 'nothing is left in the staging folder');
  t.same(
    fs.readdirSync(output).filter((name) => !/\.(dump|snapshot)$/.test(name)),
    [],
    'only whole files are delivered',
  );
  await kill(child);

  const dump = path.join(output, fs.readdirSync(output).find((name) => name.endsWith('.dump'))!);
  const sources = { dump, snapshot: onlyFile(output, '.snapshot') };
  for (const [what, file] of Object.entries(sources)) {
    const target = path.join(folder, `from-${what}`);
    const unfinished = path.join(target, 'import-unfinished');
    const option = [`--import-${what}`, file];
    for (let i = 0; i < KILLS; i++) {
      ({ child, url } = launchProcess(target, ...option));
      let listening = false;
      url.then(
        () => {
          listening = true;
        },
        () => {},
      );
      await until('the import begins', () => fs.existsSync(unfinished) || listening);
      await pause(random.int(100));
      await kill(child);
      if (!fs.existsSync(unfinished)) break;
    }
    ({ child, url } = launchProcess(target, ...option, `--ignore-${what}-if-db-exists`));
    t.equal(await found(await url), 50, `all documents after interrupted imports of a ${what}`);
    await kill(child);
  }
});
