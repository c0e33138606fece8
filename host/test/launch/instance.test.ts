import { execFileSync } from 'node:child_process';
import t from 'tap';
import { startServer } from '../server.js';

t.test('health, version, features and compaction of an instance', async (t) => {
  const server = await startServer('--master-key', 'a master key of enough bytes');
  t.teardown(() => server.close());

  t.test('the version has the commit that was built', async (t) => {
    const { body } = await server.call('GET', '/version');
    t.match(body, { pkgVersion: '1.50.0', peregrineVersion: /^\d+\.\d+\.\d+$/ });
    let head = '';
    try {
      head = execFileSync('git', ['rev-parse', 'HEAD'], { encoding: 'utf8' }).trim();
    } catch {
      t.same([body.commitSha, body.commitDate], ['unknown', 'unknown'], 'built from no repository');
      return;
    }
    t.match(body.commitSha, /^[0-9a-f]{40}$/, `a commit such as ${head}`);
    t.ok(Date.parse(body.commitDate) > 0, body.commitDate);
  });

  t.test('the descriptions of the default keys are those that clients compare', async (t) => {
    const { body } = await server.call('GET', '/keys');
    t.same(
      body.results.map(({ name, description }: Record<string, string>) => [name, description]),
      [
        ['Default Search API Key', 'Use it to search from the frontend'],
        [
          'Default Admin API Key',
          'Use it for anything that is not a search operation. Caution! Do not expose it on a public frontend',
        ],
        [
          'Default Read-Only Admin API Key',
          'Use it to read information across the whole database. Caution! Do not expose this key on a public frontend',
        ],
        ['Default Chat API Key', 'Use it to chat and search from the frontend'],
      ],
    );
  });

  t.test('an empty index lists its stores, and its compaction reports sizes in KiB and larger units', async (t) => {
    await server.task('POST', '/indexes', { uid: 'empty' });
    const { body } = await server.call('GET', '/indexes/empty/stats?showInternalDatabaseSizes=true');
    t.same(Object.keys(body.internalDatabaseSizes).sort(), ['documents', 'segments']);
    const { details } = await server.task('POST', '/indexes/empty/compact');
    t.match(details, { preCompactionSize: /^[\d.]+ [KMG]iB$/, postCompactionSize: /^[\d.]+ [KMG]iB$/ });
  });
});
