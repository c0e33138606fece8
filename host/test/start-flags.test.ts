import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import t, { type Test } from 'tap';
import { START_FLAGS } from '../start-flags.js';
import { testFolder } from './support/database.js';
import { until } from './support/until.js';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const MAIN = fileURLToPath(new URL('../main.js', import.meta.url));

/** The service as somebody starts it; its database lies in `folder`. */
async function started(t: Test, folder: string, command: string, ...parameters: string[]) {
  const flags = ['--db-path', path.join(folder, 'db'), '--http-addr', '127.0.0.1:0', '--no-analytics', '--no-warm-up'];
  const child = spawn(command, [...parameters, ...flags], { cwd: ROOT, stdio: ['ignore', 'pipe', 'inherit'] });
  t.teardown(() => child.kill('SIGKILL'));
  let output = '';
  child.stdout.on('data', (chunk) => {
    output += chunk;
  });
  const url = await until('the service listens', () => /listening on +(http:\S+)/.exec(output)?.[1] ?? false);
  return { child, url, output: () => output };
}

/** Resolves when nobody answers at the address any more. */
function silent(url: string): Promise<unknown> {
  return until(`nobody listens at ${url}`, () =>
    fetch(`${url}/health`).then(
      () => false,
      () => true,
    ),
  );
}

async function ended(child: ChildProcess): Promise<{ code: number | null; signal: string | null }> {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  return { code: child.exitCode, signal: child.signalCode };
}

t.test('the installed command and npm start give Node.js what it must know at its start', async (t) => {
  const [firstLine] = readFileSync(MAIN, 'utf8').split('\n');
  const { scripts } = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8'));
  t.equal(firstLine, `#!/usr/bin/env -S node ${START_FLAGS.join(' ')}`);
  t.equal(scripts.start, `exec node ${START_FLAGS.join(' ')} dist/host/main.js`, 'and no shell stands before the server');
});

for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  t.test(`npm start, ended by ${signal} as a service manager does, leaves nothing running`, async (t) => {
    const folder = testFolder(t);
    const { child, url } = await started(t, folder, 'npm', 'start', '--');
    child.kill(signal);
    await ended(child);
    await silent(url);
    const again = await started(t, folder, 'npm', 'start', '--');
    t.match(again.output(), /listening/, 'the database is free again');
    again.child.kill(signal);
    await ended(again.child);
    await silent(again.url);
  });
}

t.test('main.js without flags ends as its starter wants it', async (t) => {
  const folder = testFolder(t);
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGKILL'] as const) {
    const { child, url } = await started(t, folder, process.execPath, MAIN);
    child.kill(signal);
    const expected = signal === 'SIGKILL' ? { code: null, signal } : { code: 0, signal: null };
    t.same(await ended(child), expected, signal);
    await silent(url);
  }
});

t.test('main.js without flags runs the server with them', async (t) => {
  const { child } = await started(t, testFolder(t), process.execPath, MAIN);
  const children = readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8').trim().split(' ');
  const [server] = children.map((pid) => readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0'));
  t.same(
    START_FLAGS.filter((flag) => server?.includes(flag)),
    START_FLAGS,
  );
  child.kill();
  await ended(child);
});

t.test('a launch that is refused says so with its status', async (t) => {
  const child = spawn(process.execPath, [MAIN, '--nope'], { stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  child.stderr.on('data', (chunk) => {
    said += chunk;
  });
  t.same(await ended(child), { code: 1, signal: null });
  t.match(said, /--nope/);
});
