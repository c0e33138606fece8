import fs from 'node:fs';
import path from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import t, { type Test } from 'tap';
import type { SeededRandom } from '../bindings/test/random.js';
import { checkCommand, repairCommand } from '../host/maintenance/commands.js';
import { LaunchError } from '../host/runtime/launch-error.js';
import { startServer } from '../host/test/server.js';
import { onlyFile } from '../host/test/support/folders.js';
import { documents } from './fuzz/documents.js';
import { damaged } from './fuzz/requests.js';
import { caseRandom } from './fuzz/seeds.js';

/**
 * Files with changed bytes: dumps that are imported, segments that are opened. A start fails with a reason, or the server works; no
 * unexpected message is logged, and a repaired database is sound. `FILES`: number of each; `SEED`: of the changes.
 */
const FILES = Number(process.env.FILES ?? 5);
const seed = Number(process.env.SEED ?? Date.now() % 2 ** 31);
/** Expected messages of a start; any other is a failure. */
const FORESEEN = /cannot be imported|is not|There is no|was being made/;

/** Bytes of a block of a tar archive. */
const BLOCK = 512;
const SETTINGS = {
  filterableAttributes: ['genre', 'year', '_geo'],
  embedders: { own: { source: 'userProvided', dimensions: 3 } },
};

/** A stopped server with an index, and its dump. */
async function prepare(t: Test) {
  const server = await startServer();
  t.teardown(server.close);
  const output = path.join(server.folder, 'output');
  await server.restart('--dump-dir', output, '--master-key', 'a master key for tests');
  await server.task('PATCH', '/indexes/films/settings', SETTINGS);
  const list = Array.from({ length: 60 }, (_, i) => documents(caseRandom(1, i))).flat();
  const sound = list.map((one, id) => ({
    ...one,
    id,
    _vectors: { own: [id, 1, -1] },
    _geo: { lat: id % 80, lng: id % 170 },
    _geojson: undefined,
  }));
  // half of a surrogate pair is no text that JSON can carry
  const body = JSON.stringify(sound).replaceAll('\\ud800', '');
  const task = await server.task('POST', '/indexes/films/documents?primaryKey=id', body);
  t.equal(task.status, 'succeeded', JSON.stringify(task.error));
  await server.task('POST', '/dumps');
  await server.stop();
  return { server, dump: fs.readFileSync(onlyFile(output, '.dump')) };
}

/** Changes characters in some texts of an archive: its format stays valid, its content does not. */
function edited(random: SeededRandom, tar: Buffer): Buffer {
  const bytes = Buffer.from(tar);
  for (let left = 1 + random.int(4); left > 0; ) {
    const at = random.int(bytes.length);
    // of a block of zeros, or a header, nothing is changed
    if (bytes[at]! < 0x20 || bytes.subarray(at - (at % BLOCK), at - (at % BLOCK) + BLOCK).includes('ustar')) continue;
    bytes[at] = random.pick(['"', '}', ']', ',', '0', 'x', '-', ' ', '\\']).charCodeAt(0);
    left--;
  }
  return bytes;
}

t.test('damaged dumps are refused or imported', async (t) => {
  t.comment(`seed ${seed}`);
  const { server, dump } = await prepare(t);
  const tar = gunzipSync(dump);
  let imported = 0;
  for (let number = 0; number < FILES; number++) {
    const random = caseRandom(seed, number);
    const bytes = random.pick([
      () => damaged(random, dump),
      () => gzipSync(damaged(random, tar)),
      () => gzipSync(edited(random, tar)),
      () => gzipSync(edited(random, tar)),
    ])();
    const file = path.join(server.folder, 'changed.dump');
    const database = path.join(server.folder, `db${number}`);
    fs.writeFileSync(file, bytes);
    try {
      await server.restart('--db-path', database, '--import-dump', file);
      t.equal((await server.call('GET', '/indexes?limit=1000')).status, 200, `dump ${number} is imported, and served`);
      imported++;
    } catch (error) {
      const { message } = error as Error;
      t.ok(error instanceof LaunchError && FORESEEN.test(message), `dump ${number} is refused: ${message.slice(0, 300)}`);
      t.notOk(fs.existsSync(path.join(database, 'VERSION')), `dump ${number}: no database is left`);
    }
    await server.stop();
    fs.rmSync(database, { recursive: true, force: true });
  }
  t.comment(`${FILES} dumps, ${imported} of them imported`);
  t.same(server.errors, []);
});

t.test('damaged segments are detected and repaired', async (t) => {
  const { server } = await prepare(t);
  const folder = path.join(server.folder, 'segments');
  const copy = `${server.folder}-copy`;
  fs.cpSync(server.folder, copy, { recursive: true });
  t.teardown(() => fs.rmSync(copy, { recursive: true, force: true }));
  const segment = fs.readdirSync(folder)[0]!;
  let [found, serving] = [0, 0];
  for (let number = 0; number < FILES; number++) {
    const bytes = fs.readFileSync(path.join(copy, 'segments', segment));
    const changed = damaged(caseRandom(seed + 1, number), bytes);
    fs.writeFileSync(path.join(folder, segment), changed);
    const check = await checkCommand(server.folder);
    if (!check.sound) found++;
    // Bytes after the last section and padding between sections have no meaning.
    t.ok(!check.sound || changed.length >= bytes.length, `segment ${number}: ${check.report}`);
    await server.restart();
    const { status, body } = await server.call('POST', '/indexes/films/search', { q: 'war', facets: ['genre'], limit: 100 });
    if (status === 200) serving++;
    t.ok(status === 200 || body.code === 'io_error', `segment ${number}: ${status} ${body.code ?? ''}`);
    await server.stop();
    t.equal((await repairCommand(server.folder)).sound, true, `segment ${number}: repaired`);
    fs.rmSync(server.folder, { recursive: true });
    fs.cpSync(copy, server.folder, { recursive: true });
  }
  t.comment(`${FILES} segments, ${found} found damaged, ${serving} served all the same`);
});
