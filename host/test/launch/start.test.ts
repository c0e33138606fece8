import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import t, { type Test } from 'tap';
import { testFolder } from '../support/folders.js';
import { until } from '../support/until.js';

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));
const MAIN = fileURLToPath(new URL('../../main.js', import.meta.url));

/** Starts the server as users do, with a database in `folder`. */
async function started(t: Test, folder: string, command: string, ...parameters: string[]) {
  const flags = ['--db-path', path.join(folder, 'db'), '--http-addr', '127.0.0.1:0', '--no-analytics'];
  const child = spawn(command, [...parameters, ...flags], { cwd: ROOT, stdio: ['ignore', 'pipe', 'inherit'] });
  t.teardown(() => child.kill('SIGKILL'));
  let output = '';
  child.stdout.on('data', (chunk) => {
    output += chunk;
  });
  const url = await until('the service listens', () => /listening on +(http:\S+)/.exec(output)?.[1] ?? false);
  return { child, url, output: () => output };
}

/** Resolves when the address no longer accepts connections. */
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

t.test('signals end the server with status 0', async (t) => {
  const folder = testFolder(t);
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGKILL'] as const) {
    const { child, url } = await started(t, folder, process.execPath, MAIN);
    child.kill(signal);
    const expected = signal === 'SIGKILL' ? { code: null, signal } : { code: 0, signal: null };
    t.same(await ended(child), expected, signal);
    await silent(url);
  }
});

t.test('a refused launch has a non-zero exit status', async (t) => {
  const child = spawn(process.execPath, [MAIN, '--nope'], { stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  child.stderr.on('data', (chunk) => {
    said += chunk;
  });
  t.same(await ended(child), { code: 1, signal: null });
  t.match(said, /--nope/);
});
