import fs from 'node:fs';
import path from 'node:path';
import t from 'tap';
import { checkCommand, repairCommand } from '../../maintenance/commands.js';
import { startServer } from '../server.js';
import { testFolder } from '../support/folders.js';
import { FILES, MASTER_KEY, writeDump } from '../support/foreign-dump.js';

/** Files that RocksDB does not need. */
const NEEDLESS = /^(?:LOG|LOCK|IDENTITY|OPTIONS)/;

/** The result of a start with a changed copy of a database. */
interface Outcome {
  /** The message of a refused start; null: the server started. */
  refusal: string | null;
  /** Tasks that the database shows. */
  tasks: number;
}

t.test('a truncated ledger is detected at the start, and no file is deleted', async (t) => {
  const server = await startServer();
  t.teardown(server.close);
  for (let i = 0; i < 6; i++) {
    await server.task('POST', '/indexes/a/documents', [{ id: i, text: `word ${'filler '.repeat(300)}` }]);
    await server.task('PATCH', '/indexes/b', { primaryKey: 'id' }).catch(() => {});
  }
  const tasks = (await server.call('GET', '/tasks?limit=0')).body.total;
  await server.stop();
  const copy = `${server.folder}-copy`;
  fs.cpSync(server.folder, copy, { recursive: true });
  t.teardown(() => fs.rmSync(copy, { recursive: true, force: true }));
  const stored = path.join(copy, 'ledger');
  const [ledger, segments] = ['ledger', 'segments'].map((name) => path.join(server.folder, name)) as [string, string];
  const listed = fs.readdirSync(segments).sort();

  /** Starts a server with a fresh copy that `damage` has changed. */
  const start = async (damage: () => void): Promise<Outcome> => {
    fs.rmSync(server.folder, { recursive: true });
    fs.cpSync(copy, server.folder, { recursive: true });
    damage();
    const ledgerFiles = fs.readdirSync(ledger).sort();
    try {
      await server.restart();
    } catch (error) {
      t.same(fs.readdirSync(segments).sort(), listed, 'no file of a segment is deleted');
      t.same(fs.readdirSync(ledger).sort(), ledgerFiles, 'the files of the ledger are the same');
      return { refusal: (error as Error).message, tasks: 0 };
    }
    const seen = (await server.call('GET', '/tasks?limit=0')).body.total;
    await server.stop();
    return { refusal: null, tasks: seen };
  };

  t.same(await start(() => {}), { refusal: null, tasks });
  const files = fs.readdirSync(stored).filter((name) => fs.statSync(path.join(stored, name)).size > 0 && !NEEDLESS.test(name));
  let refused = 0;
  for (const name of files) {
    const { size } = fs.statSync(path.join(stored, name));
    for (const [what, change] of [
      ['half of', () => fs.truncateSync(path.join(ledger, name), size >> 1)],
      ['all of', () => fs.truncateSync(path.join(ledger, name), 0)],
      ['a byte of', () => flip(path.join(ledger, name), size >> 1)],
      ['the end of', () => fs.truncateSync(path.join(ledger, name), size - 1)],
    ] as const) {
      const { refusal, tasks: seen } = await start(change);
      if (refusal !== null) refused++;
      t.ok(
        refusal === null ? seen === tasks : /cannot be opened|damaged|not whole/.test(refusal),
        `${what} ${name} changed: ${refusal ?? 'serves all'}`,
      );
    }
  }
  t.ok(refused > 0, `${refused} starts were refused`);

  const log = files.find((name) => name.endsWith('.log'))!;
  const { refusal } = await start(() => fs.truncateSync(path.join(ledger, log), fs.statSync(path.join(stored, log)).size >> 1));
  t.match(refusal, /lost \d+ of the \d+ writes.*Nothing was changed.*peregrine repair/);
  t.match(await checkCommand(server.folder), { sound: false, report: /has lost/ });
  const repaired = await repairCommand(server.folder);
  t.match(repaired, { sound: true, report: /taken as it is: \d+ writes are lost/ });
  const kept = [...fs.readdirSync(segments), ...fs.readdirSync(path.join(server.folder, 'damaged'))].sort();
  t.same(kept, listed, 'files that the ledger does not name are put away');
  await server.restart();
  t.equal((await server.call('POST', '/indexes/a/search', { q: 'word' })).status, 200);
});

t.test('a truncated ledger of an imported dump is detected, though nothing was written since', async (t) => {
  const server = await startServer('--import-dump', writeDump(testFolder(t), FILES), '--master-key', MASTER_KEY);
  t.teardown(server.close);
  await server.stop();
  const ledger = path.join(server.folder, 'ledger');
  const logs = fs.readdirSync(ledger).filter((name) => name.endsWith('.log') && fs.statSync(path.join(ledger, name)).size > 0);
  for (const name of logs) fs.truncateSync(path.join(ledger, name), fs.statSync(path.join(ledger, name)).size >> 1);
  t.equal(logs.length, 1);
  await t.rejects(server.restart('--master-key', MASTER_KEY), { message: /lost \d+ of the \d+ writes/ });
});

function flip(file: string, at: number): void {
  const bytes = fs.readFileSync(file);
  bytes[at] = bytes[at]! ^ 0x55;
  fs.writeFileSync(file, bytes);
}
