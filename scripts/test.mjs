#!/usr/bin/env node
/**
 * Runs the built test files, each in a process of its own, and prints a line a file, the output of those that fail, and the totals.
 *   node scripts/test.mjs [--debug] [PART OF A NAME …]
 * --debug: only the tests that call the engine directly, on the debug build, which checks bounds, guards of scratch memory and invariants.
 * The files are plain tap. tap's own runner is not used because it puts loader hooks into every process and thread that a test
 * starts, which makes tests of a service of many threads several times slower.
 * Exit status: 0 everything passed, 1 something failed.
 */
import { spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const wanted = process.argv.slice(2).filter((argument) => argument !== '--debug');
const isDebug = process.argv.includes('--debug');
const DEBUG_ENGINE = path.join(root, 'dist/engine/peregrine.debug.wasm');
/** Beginnings of the names of tests that load the engine by `bindings/test/engine`, which reads PEREGRINE_ENGINE. */
const ENGINE_TESTS = ['engine-as/test', 'bindings/test', 'test/differential', 'test/worked'];
const JOBS = Math.min(4, Math.max(2, os.availableParallelism()));
/** For one file. Even on a busy machine only a test that hangs takes so long. */
const LIMIT_SECONDS = 480;
/** A process that still runs so long after tap's own limit is killed. */
const GRACE_SECONDS = 10;
/** The line in which tap sums up a file. */
const TOTALS = /^# \{ total: \d+(?:, pass: (?<pass>\d+))?(?:, fail: (?<fail>\d+))?.*\}$/gm;

/** The build leaves files in dist whose source was removed. */
const hasSource = (file) => fs.existsSync(path.join(root, file.replace(/js$/, 'ts')));
const files = fs
  .readdirSync(path.join(root, 'dist'), { recursive: true })
  .filter((file) => file.endsWith('.test.js') && hasSource(file))
  .filter((file) => !isDebug || ENGINE_TESTS.some((beginning) => file.startsWith(beginning)))
  .filter((file) => wanted.length === 0 || wanted.some((part) => file.includes(part)))
  .sort();

/** The temporary folder of each running test. */
const running = new Map();
/** Ends a test and all that it has started: a server left behind by a failed test would keep its output open for ever. */
function endGroup({ pid }) {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // all have ended
  }
}
for (const signal of ['SIGINT', 'SIGTERM']) {
  process.once(signal, () => {
    for (const [child, temporary] of running) {
      endGroup(child);
      fs.rmSync(temporary, { recursive: true, force: true });
    }
    process.exit(1);
  });
}

/**
 * { pass, fail, seconds, output } of one file; a crash counts as a failure, and so does a file that ends without having run a test, or
 * passes and leaves files in its temporary folder.
 */
async function run(file) {
  const started = performance.now();
  const temporary = fs.mkdtempSync(path.join(os.tmpdir(), 'peregrine-'));
  const engine = isDebug ? { PEREGRINE_ENGINE: DEBUG_ENGINE } : {};
  const env = { ...process.env, TAP_TIMEOUT: String(LIMIT_SECONDS), TMPDIR: temporary, ...engine };
  const options = { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'], detached: true };
  const child = spawn(process.execPath, [path.join(root, 'dist', file)], options);
  running.set(child, temporary);
  const limit = setTimeout(() => child.kill('SIGKILL'), (LIMIT_SECONDS + GRACE_SECONDS) * 1000);
  child.once('exit', () => endGroup(child));
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (output += text));
  const status = await new Promise((ended) => child.on('close', ended));
  clearTimeout(limit);
  running.delete(child);
  const totals = [...output.matchAll(TOTALS)].at(-1);
  const { pass = 0, fail = 0 } = totals?.groups ?? {};
  const left = fs.readdirSync(temporary);
  fs.rmSync(temporary, { recursive: true, force: true });
  if (left.length > 0) output += `\nleft in the temporary folder: ${left.join(', ')}\n`;
  const passed = status === 0 && totals && left.length === 0;
  const failed = passed ? Number(fail) : Math.max(1, Number(fail));
  return { pass: Number(pass), fail: failed, seconds: (performance.now() - started) / 1000, output };
}

/** Kernels are tested on the debug build, which scripts/build.mjs does not make by default. */
function buildDebugEngine() {
  const builtAt = (file) => (fs.existsSync(file) ? fs.statSync(file).mtimeMs : 0);
  if (builtAt(DEBUG_ENGINE) >= builtAt(path.join(root, 'dist/engine/peregrine.plain.wasm'))) return;
  const { status } = spawnSync(process.execPath, [path.join(root, 'scripts/build.mjs'), '--debug-engine'], { stdio: 'inherit' });
  if (status !== 0) process.exit(1);
}

buildDebugEngine();
const total = { pass: 0, fail: 0 };
const waiting = [...files];
async function work() {
  for (let file = waiting.shift(); file; file = waiting.shift()) {
    const { pass, fail, seconds, output } = await run(file);
    total.pass += pass;
    total.fail += fail;
    console.log(`${fail === 0 ? 'ok' : 'FAILED'}  ${file}  ${pass} passed, ${fail} failed, ${seconds.toFixed(1)} s`);
    if (fail > 0) console.log(output);
  }
}
await Promise.all(Array.from({ length: JOBS }, work));
console.log(`${total.pass} passed, ${total.fail} failed`);
if (total.fail > 0 || files.length === 0) process.exitCode = 1;
