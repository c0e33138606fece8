#!/usr/bin/env node
/**
 * The long suite: tests repeated often enough to find rare failures. Several run concurrently, as most of them wait for disks and
 * processes.
 *   node scripts/long.mjs [PART OF A NAME …]
 * Each prints a line when it ends, and its output when it failed. Exit status: 0 everything passed, 1 something failed.
 */
import { spawn } from 'node:child_process';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
/** Tests that run concurrently; one of them is the soak, which has a fixed rate. */
const CONCURRENT = 3;
/** All together must end within this. */
const MINUTES = 90;
/** The line in which tests and programs sum up. */
const SUMMARY = /^ *# (?!Subtest|time|\{).*|^\S.*\d.*$/gm;

/** The longest first. */
const SUITES = [
  { name: 'soak', file: 'test/long/soak.js', env: { SOAK_MINUTES: 60 } },
  { name: 'kills', file: 'host/test/storage/kills.test.js', env: { KILLS: 1000 } },
  { name: 'fuzz', file: 'test/fuzz.test.js', env: { FUZZ: 1_000_000, FUZZ_SECONDS: 5100 } },
  { name: 'faults', file: 'host/test/storage/disk-faults.test.js', env: { FAULTS: 'all' } },
  { name: 'power-cuts', file: 'host/test/storage/power-cuts.test.js', env: { CUTS: 500 } },
  { name: 'import-cuts', file: 'host/test/storage/import-cuts.test.js', env: { CUTS: 60 } },
  { name: 'authorisation', file: 'host/test/auth/authorisation.test.js', env: { CELLS: 'all' } },
  { name: 'simulation', file: 'host/test/search/simulation.test.js', env: { SEEDS: 10_000 } },
  { name: 'scheduler', file: 'host/test/tasks/scheduler-simulation.test.js', env: { SEEDS: 10_000 } },
  { name: 'embedding-kills', file: 'host/test/embedders/embedding-kill.test.js', env: { EMBEDDING_ROUNDS: 10 } },
  { name: 'durability', file: 'host/test/storage/durability.test.js', env: { KILLS: 50 } },
  { name: 'durability-settings', file: 'host/test/storage/durability-settings.test.js', env: { ROUNDS: 10 } },
  { name: 'fuzz-files', file: 'test/fuzz-files.test.js', env: { FILES: 300 } },
  { name: 'load', file: 'host/test/http/load.test.js', env: { LOAD: 5000 } },
  { name: 'reproducible', file: 'test/long/reproducible.js' },
  { name: 'differential', file: 'test/long/differential.js' },
  { name: 'federation', file: 'test/long/federation.js' },
];

const wanted = process.argv.slice(2);
const waiting = SUITES.filter(({ name }) => wanted.length === 0 || wanted.some((part) => name.includes(part)));
const began = performance.now();
const end = began + MINUTES * 60_000;
const minutes = (since) => `${((performance.now() - since) / 60_000).toFixed(1)} min`;
let failed = waiting.length === 0 ? 1 : 0;

async function run({ name, file, env = {} }) {
  const started = performance.now();
  const left = Math.ceil((end - started) / 1000);
  const variables = Object.entries(env).map(([key, value]) => [key, String(process.env[key] ?? value)]);
  const child = spawn(process.execPath, [path.join(root, 'dist', file)], {
    cwd: root,
    env: { ...process.env, TAP_TIMEOUT: String(left), ...Object.fromEntries(variables) },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const limit = setTimeout(() => child.kill('SIGKILL'), left * 1000);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (output += text));
  const status = await new Promise((ended) => child.on('close', ended));
  clearTimeout(limit);
  const given = variables.map(([key, value]) => `${key}=${value} `).join('');
  console.log(`${status === 0 ? 'ok' : 'FAILED'}  ${given}${name}, ${minutes(started)}`);
  for (const line of output.match(SUMMARY)?.slice(-4) ?? []) console.log(`      ${line.trim().slice(0, 200)}`);
  if (status === 0) return;
  failed++;
  console.log(output);
}

async function runWaiting() {
  for (let suite = waiting.shift(); suite; suite = waiting.shift()) await run(suite);
}

await Promise.all(Array.from({ length: CONCURRENT }, runWaiting));
console.log(`${failed === 0 ? 'all passed' : `${failed} failed`}, ${minutes(began)}`);
process.exitCode = failed === 0 ? 0 : 1;
