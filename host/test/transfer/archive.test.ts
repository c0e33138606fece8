import { once } from 'node:events';
import fs from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import t from 'tap';
import { type ArchiveEntry, writeArchive } from '../../transfer/archive.js';
import { testFolder } from '../support/folders.js';

t.test('an archive that is given up opens no further files', async (t) => {
  const folder = testFolder(t);
  const file = path.join(folder, 'archive');
  const failures: unknown[] = [];
  const onFailure = (error: unknown) => failures.push(error);
  process.on('uncaughtException', onFailure);
  t.teardown(() => process.off('uncaughtException', onFailure));
  const socket = path.join(folder, 'socket');
  const server = net.createServer().listen(socket);
  await once(server, 'listening');
  t.teardown(() => server.close());
  const given = new AbortController();
  /** The second entry comes when the archive was given up. It is a socket, which has a size, but cannot be opened as a file. */
  async function* entries(): AsyncGenerator<ArchiveEntry> {
    yield { name: 'first', content: 'text' };
    given.abort();
    yield { name: 'second', file: socket };
  }
  await t.rejects(writeArchive(file, entries(), given.signal), { name: 'AbortError' });
  await new Promise((resolve) => setTimeout(resolve, 100));
  t.same(failures, [], 'no error is left unhandled');
  t.notOk(fs.existsSync(file), 'the file is removed');
});
