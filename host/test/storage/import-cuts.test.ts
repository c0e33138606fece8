import fs from 'node:fs';
import path from 'node:path';
import t, { type Test } from 'tap';
import { seededRandom } from '../../../bindings/test/random.js';
import { startServer } from '../server.js';
import { buildRecorder, recorderEnvironment } from '../support/disk/recorder.js';
import {
  acknowledge,
  CRASHES,
  type Crash,
  crashState,
  type DiskOperation,
  readRecord,
  writeState,
} from '../support/disk/replay.js';
import { onlyFile, testFolder } from '../support/folders.js';
import { launchProcess } from '../support/process.js';

/**
 * Imports of a dump and of a snapshot are recorded in the way of power-cuts.test.ts. Whatever a cut leaves on disk, a start with
 * the same option has the whole database: it imports again, or finds it imported.
 */
const CUTS = Number(process.env.CUTS ?? 4);
const DOCUMENTS = Array.from({ length: 300 }, (_, id) => ({ id, kind: id % 3, text: `common word${id % 7}` }));
const SETTINGS = { searchableAttributes: ['text'], filterableAttributes: ['kind'] };
const UNFINISHED = /import-unfinished$/;

const seed = Number(process.env.SEED ?? Date.now() % 2 ** 31);

interface Import {
  root: string;
  operations: DiskOperation[];
  flags: string[];
}

async function recordImport(t: Test, library: string, flags: string[]): Promise<Import> {
  const folder = testFolder(t);
  const [root, file] = [path.join(folder, 'disk'), path.join(folder, 'record')];
  fs.mkdirSync(root);
  const env = recorderEnvironment(library, root, { RECORD_FILE: file });
  const { child, url } = launchProcess({ folder: path.join(root, 'db'), env }, ...flags);
  t.teardown(() => child.kill('SIGKILL'));
  await url;
  acknowledge(file, 'it listens');
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  await ended;
  return { root, operations: readRecord(file).filter(({ path: name }) => !name.endsWith('.reserve')), flags };
}

/** Starts with the same option and the files that a cut leaves. @returns the fault, or null */
async function faultAfter({ root, operations, flags }: Import, cut: number, crash: Crash): Promise<string | null> {
  const target = fs.mkdtempSync(path.join(path.dirname(root), 'state-'));
  try {
    writeState(crashState(operations.slice(0, cut), root, crash, seededRandom(seed + cut)), root, target);
    const server = await startServer('--db-path', path.join(target, 'db'), ...flags);
    try {
      const { body: found } = await server.call('POST', '/indexes/a/search', { q: 'common', filter: 'kind = 1', hitsPerPage: 1 });
      const { body: list } = await server.call('GET', '/indexes/a/documents?limit=1000');
      const { body: settings } = await server.call('GET', '/indexes/a/settings/searchable-attributes');
      const seen = [list.total, found.totalHits, String(settings)].join(', ');
      const wanted = [DOCUMENTS.length, DOCUMENTS.length / 3, SETTINGS.searchableAttributes].join(', ');
      return seen === wanted ? null : `it has ${seen}, not ${wanted}`;
    } finally {
      await server.close();
    }
  } catch (error) {
    return `it does not open: ${(error as Error).message}`;
  } finally {
    fs.rmSync(target, { recursive: true, force: true });
  }
}

/** The place in the record right after the sync that makes the end of the import durable. */
function finishedAt(operations: readonly DiskOperation[]): number {
  const removed = operations.findIndex(({ kind, path: name }) => kind === 'remove' && UNFINISHED.test(name));
  const folder = path.dirname(operations[removed]!.path);
  return operations.findIndex(({ kind, path: name }, at) => at > removed && kind === 'sync' && name === folder) + 1;
}

/** Whether the test fails when the syncs of these files or folders are left out of the record. */
async function isFound(whole: Import, which: RegExp): Promise<boolean> {
  const operations = whole.operations.filter(({ kind, path: name }) => kind !== 'sync' || !which.test(name));
  if (operations.length === whole.operations.length) return false;
  return (await faultAfter({ ...whole, operations }, finishedAt(operations), 'lost')) !== null;
}

t.test('an import interrupted by a power cut is complete after the next launch', async (t) => {
  const library = buildRecorder(t, testFolder(t));
  if (library === null) return;
  const output = testFolder(t);
  const source = await startServer('--dump-dir', output, '--snapshot-dir', output);
  t.teardown(() => source.close());
  await source.task('PATCH', '/indexes/a/settings', SETTINGS);
  await source.task('POST', '/indexes/a/documents?primaryKey=id', DOCUMENTS);
  await source.task('POST', '/dumps');
  await source.task('POST', '/snapshots');

  const sources: [what: string, neglected: [name: string, which: RegExp][]][] = [
    [
      'snapshot',
      [
        ['segments', /segments\/\d+\.seg$/],
        ['the names of segments', /segments$/],
        ['the files of the ledger', /ledger\/[^/]+$/],
        ['the names of the ledger', /ledger$/],
      ],
    ],
    [
      'dump',
      [
        ['segments', /segments\/\d+\.seg$/],
        ['the names of segments', /segments$/],
        ['the log of the ledger', /ledger\/\d+\.log$/],
      ],
    ],
  ];
  for (const [what, neglected] of sources) {
    await t.test(what, async (t) => {
      const flags = [`--import-${what}`, onlyFile(output, `.${what}`), `--ignore-${what}-if-db-exists`];
      const whole = await recordImport(t, library, flags);
      t.comment(`seed ${seed}: ${whole.operations.length} operations`);
      const random = seededRandom(seed);
      for (let i = 0; i < CUTS; i++) {
        const cut = i === 0 ? finishedAt(whole.operations) : random.int(whole.operations.length + 1);
        const crash = CRASHES[i % CRASHES.length]!;
        t.equal(await faultAfter(whole, cut, crash), null, `cut after ${cut} operations, ${crash}`);
      }
      for (const [name, which] of neglected) t.ok(await isFound(whole, which), `${name}: a missing sync is found`);
    });
  }
});
