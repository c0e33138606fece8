import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import t from 'tap';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

const check = (...lock: string[]) =>
  spawnSync(process.execPath, [path.join(ROOT, 'scripts/packages.mjs'), ...lock], { encoding: 'utf8' });

t.test('packages have an integrity, a licence that allows any use, and no address of a registry', async (t) => {
  const { status, stdout, stderr } = check();
  t.equal(status, 0, stderr);
  t.match(stdout, /^\d+ packages: MIT \d+/);
});

t.test('a lock that leaves one of these out is refused', async (t) => {
  const lock = JSON.parse(fs.readFileSync(path.join(ROOT, 'package-lock.json'), 'utf8'));
  const [integrity, licence, address] = Object.keys(lock.packages).filter((place) => place.startsWith('node_modules/'));
  delete lock.packages[integrity!].integrity;
  lock.packages[licence!].license = 'UNLICENSED';
  lock.packages[address!].resolved = 'https://registry.example/package.tgz';
  const file = path.join(t.testdir({}), 'package-lock.json');
  fs.writeFileSync(file, JSON.stringify(lock));
  const { status, stderr } = check(file);
  t.equal(status, 1);
  t.match(stderr, /has no SHA-512.*its licence is UNLICENSED.*the lock names https/s);
});
