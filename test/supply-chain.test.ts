import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import t from 'tap';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

t.test('packages have an integrity, a licence that allows any use, and no address of a registry', async (t) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [path.join(ROOT, 'scripts/packages.mjs')], { encoding: 'utf8' });
  t.equal(status, 0, stderr);
  t.match(stdout, /^\d+ packages: MIT \d+/);
});
