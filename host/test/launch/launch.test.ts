import fs from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'node:zlib';

import t, { type Test } from 'tap';
import { Logs } from '../../logging/logs.js';
import { readOptions } from '../../options/options.js';
import { LaunchError } from '../../runtime/launch-error.js';
import { PeregrineService } from '../../service.js';
import { Ledger } from '../../storage/ledger/ledger.js';
import { compareVersions } from '../../storage/version-file.js';
import { VERSION } from '../../version.js';
import { startServer } from '../server.js';
import { onlyFile, testFolder } from '../support/folders.js';

/** Starts a server with `folder/db`, which must fail. @returns the message, and the files left; null: not even the folder */
async function refusal(folder: string, ...flags: string[]): Promise<{ message: string; left: string[] | null }> {
  const database = path.join(folder, 'db');
  try {
    const service = await PeregrineService.open(readOptions(['--db-path', database, ...flags], {}), Logs.silent());
    await service.close();
    return { message: 'it started', left: [] };
  } catch (error) {
    if (!(error instanceof LaunchError)) throw error;
    return { message: error.message, left: fs.existsSync(database) ? fs.readdirSync(database) : null };
  }
}

/** A dump and a snapshot of one instance. */
async function transferFiles(t: Test): Promise<{ dump: string; snapshot: string; folder: string }> {
  const folder = testFolder(t);
  const server = await startServer('--dump-dir', folder, '--snapshot-dir', folder);
  await server.task('POST', '/indexes/a/documents', [{ id: 1, text: 'hello' }]);
  await server.task('POST', '/dumps');
  await server.task('POST', '/snapshots');
  await server.close();
  return { dump: onlyFile(folder, '.dump'), snapshot: onlyFile(folder, '.snapshot'), folder };
}

t.test('a database without its ledger is refused, and no file is changed', async (t) => {
  const folder = testFolder(t);
  const database = path.join(folder, 'db');
  const server = await startServer('--db-path', database);
  await server.task('POST', '/indexes/a/documents', [{ id: 1, text: 'hello' }]);
  await server.close();
  const segments = () => fs.readdirSync(path.join(database, 'segments'));
  const before = segments();
  t.equal(before.length, 1);
  const [ledger, away] = [path.join(database, 'ledger'), path.join(folder, 'away')];
  const current = path.join(ledger, 'CURRENT');
  const manifests = () => fs.readdirSync(ledger).filter((name) => name.startsWith('MANIFEST-'));
  const losses: [string, () => void][] = [
    ['the pointer of the ledger is gone', () => fs.rmSync(current)],
    ['its manifest is gone', () => manifests().map((name) => fs.rmSync(path.join(ledger, name)))],
    ['all that is in it is gone', () => fs.readdirSync(ledger).map((name) => fs.rmSync(path.join(ledger, name)))],
    ['the folder is gone', () => fs.rmSync(ledger, { recursive: true })],
  ];
  fs.cpSync(ledger, away, { recursive: true });
  for (const [what, lose] of losses) {
    lose();
    t.match((await refusal(folder)).message, /has no ledger.*--import-snapshot|cannot be opened.*[Nn]othing was changed/s, what);
    t.same(segments(), before, `${what}: segments stay`);
    fs.rmSync(ledger, { recursive: true, force: true });
    fs.cpSync(away, ledger, { recursive: true });
  }
  // the state that RocksDB leaves when it cannot sync the folder in which it created a manifest
  fs.writeFileSync(current, 'MANIFEST-000099\n');
  await server.restart('--db-path', database);
  t.teardown(() => server.close());
  t.equal((await server.call('GET', '/indexes/a/documents/1')).body.text, 'hello', 'it goes on when the ledger is back');
});

t.test('a database whose creation was interrupted is created again', async (t) => {
  const leftovers: Record<string, (folder: string) => Promise<void>> = {
    'an empty ledger': async (folder) => (await Ledger.open(folder)).close(),
    'what RocksDB leaves when it cannot sync the folder of a new ledger': async (folder) => {
      fs.mkdirSync(folder, { recursive: true });
      fs.writeFileSync(path.join(folder, 'CURRENT'), 'MANIFEST-000003\n');
      for (const name of ['IDENTITY', 'LOCK', 'MANIFEST-000001']) fs.writeFileSync(path.join(folder, name), '');
    },
  };
  for (const [what, make] of Object.entries(leftovers)) {
    const database = path.join(testFolder(t), 'db');
    await make(path.join(database, 'ledger'));
    const server = await startServer('--db-path', database);
    t.teardown(() => server.close());
    t.equal((await server.task('POST', '/indexes', { uid: 'a' })).status, 'succeeded', what);
  }
});

t.test('files that cannot be imported are refused and leave nothing', async (t) => {
  const { dump, snapshot, folder } = await transferFiles(t);
  const damaged = path.join(folder, 'damaged');
  const half = (file: string) => {
    const bytes = fs.readFileSync(file);
    return bytes.subarray(0, bytes.length / 2);
  };
  const emptyTar = gzipSync(Buffer.alloc(1024));
  const cases: [name: string, what: string, bytes: Uint8Array, message: RegExp][] = [
    ['half a dump', 'dump', half(dump), /The dump .* cannot be imported: the archive is damaged/],
    ['half a snapshot', 'snapshot', half(snapshot), /the archive is damaged/],
    ['no archive', 'dump', Buffer.from('no archive'), /the archive is damaged/],
    ['an empty dump', 'dump', emptyTar, /it is no dump/],
    ['an empty snapshot', 'snapshot', emptyTar, /it is no snapshot/],
    ['a dump as a snapshot', 'snapshot', fs.readFileSync(dump), /it is no snapshot: it holds `metadata.json`/],
    ['a snapshot as a dump', 'dump', fs.readFileSync(snapshot), /it is no dump/],
    ['a dump of another form', 'dump', dumpWith({ dumpVersion: 'V3' }), /a dump of version V3; only version V6/],
  ];
  for (const [name, what, bytes, message] of cases) {
    fs.writeFileSync(damaged, bytes);
    t.match(await refusal(folder, `--import-${what}`, damaged), { message, left: null }, name);
  }
  fs.mkdirSync(path.join(folder, 'db'));
  t.same((await refusal(folder, '--import-dump', damaged)).left, [], 'a folder that was there before stays');
  fs.rmdirSync(path.join(folder, 'db'));
  const missing = path.join(folder, 'missing');
  for (const what of ['dump', 'snapshot']) {
    const { message, left } = await refusal(folder, `--import-${what}`, missing);
    t.match(message, /`.*missing` does not exist.*--ignore-missing/);
    t.equal(left, null, 'a database that was not made leaves no folder');
    t.equal((await refusal(folder, `--import-${what}`, missing, `--ignore-missing-${what}`)).message, 'it started');
    t.match((await refusal(folder, `--import-${what}`, dump)).message, /was not imported: there is a database at/);
    t.equal((await refusal(folder, `--import-${what}`, dump, `--ignore-${what}-if-db-exists`)).message, 'it started');
    fs.rmSync(path.join(folder, 'db'), { recursive: true });
  }
});

/** A tar of one file, `metadata.json`. */
function dumpWith(metadata: object): Buffer {
  const content = JSON.stringify(metadata);
  const header = Buffer.alloc(512);
  header.write('metadata.json', 0);
  header.write('0000644\0', 100);
  header.write(`${content.length.toString(8).padStart(11, '0')}\0`, 124);
  header.write(`${'0'.repeat(11)}\0`, 136);
  header.write(' '.repeat(8), 148);
  header.write('0', 156);
  header.write('ustar\x0000', 257);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  const body = Buffer.alloc(512);
  body.write(content);
  return gzipSync(Buffer.concat([header, body, Buffer.alloc(1024)]));
}

t.test('a database of another version is refused', async (t) => {
  const folder = testFolder(t);
  const file = path.join(folder, 'db', 'VERSION');
  t.equal((await refusal(folder)).message, 'it started');
  t.equal(fs.readFileSync(file, 'utf8').trim(), VERSION);
  const versions: [string, RegExp][] = [
    ['0.0.1', /older version 0\.0\.1: launch with --upgrade-db to upgrade it, or make a dump/],
    ['99.0.0', /newer version 99\.0\.0; this is version/],
    ['', /VERSION file that cannot be read/],
    ['one', /VERSION file that cannot be read/],
  ];
  for (const [version, message] of versions) {
    fs.writeFileSync(file, version);
    t.match((await refusal(folder)).message, message);
  }
  fs.rmSync(file);
  t.match((await refusal(folder)).message, /has no VERSION file/);
  fs.writeFileSync(file, VERSION);
  t.equal((await refusal(folder)).message, 'it started');
});

t.test('a snapshot opens with its own version only', async (t) => {
  const folder = testFolder(t);
  const server = await startServer('--snapshot-dir', folder);
  fs.writeFileSync(path.join(server.folder, 'VERSION'), '0.0.1');
  await server.task('POST', '/snapshots');
  await server.close();
  const snapshot = onlyFile(folder, '.snapshot');
  t.match(await refusal(folder, '--import-snapshot', snapshot), { message: /older version 0\.0\.1/, left: null });
});

t.test('an instance has a uid unless it collects no usage statistics', async (t) => {
  const folder = testFolder(t);
  const file = path.join(folder, 'db', 'instance-uid');
  t.equal((await refusal(folder, '--no-analytics')).message, 'it started');
  t.notOk(fs.existsSync(file));
  await refusal(folder);
  const uid = fs.readFileSync(file, 'utf8');
  t.match(uid, /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  await refusal(folder);
  t.equal(fs.readFileSync(file, 'utf8'), uid, 'which stays');
});

t.test('options that require others are refused without them', (t) => {
  const read =
    (...flags: string[]) =>
    () =>
      readOptions(flags, {});
  t.throws(read('--ignore-missing-dump'), /--ignore-missing-dump has a meaning only with --import-dump/);
  t.throws(read('--ignore-snapshot-if-db-exists'), /only with --import-snapshot/);
  t.throws(read('--import-dump', 'a', '--import-snapshot', 'b'), /exclude each other/);
  t.throws(read('--ssl-key-path', 'a'), /only with --ssl-cert-path/);
  t.equal(readOptions([], {}).scheduleSnapshot, null);
  t.equal(readOptions(['--schedule-snapshot'], {}).scheduleSnapshot, 86_400);
  t.equal(readOptions(['--schedule-snapshot=60'], {}).scheduleSnapshot, 60);
  t.equal(readOptions([], { MEILI_SCHEDULE_SNAPSHOT: 'false' }).scheduleSnapshot, null);
  t.throws(read('--schedule-snapshot=0'), /seconds from 1/);
  t.end();
});

t.test('versions are compared by their numbers', (t) => {
  t.equal(compareVersions('1.2.3', '1.2.3'), 0);
  t.ok(compareVersions('1.2.3', '1.10.0')! < 0);
  t.ok(compareVersions('2.0.0', '1.99.99')! > 0);
  t.equal(compareVersions('1.2', '1.2.3'), null);
  t.end();
});
