#!/usr/bin/env node
/**
 * Replays the recorded exchanges of a folder against a fresh server, and fails if fewer cases of an area pass than
 * conformance.floor.json says.
 *   node scripts/conformance.mjs [--dir ../shared/conformance] [--area NAME] [--raise] [--json FILE]
 * The folder has run.mjs (the runner) and scenarios/*.json; without it nothing is replayed, which is no failure. An area below its
 * floor is replayed once more, and a case that passed in either run counts as passed. Areas without a floor are left out, unless one
 * is named with --area, or --raise is given, which raises the floors to what passed. The last line counts the cases that passed and
 * those that are missing from the floors.
 * Exit status: 0 no area is below its floor, 1 some area is, 2 the run itself failed.
 */
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { startServer } from '../dist/test/server.js';

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const { values: options } = parseArgs({
  options: {
    dir: { type: 'string', default: process.env.CONFORMANCE_DIR ?? path.join(root, '../shared/conformance') },
    area: { type: 'string' },
    json: { type: 'string' },
    raise: { type: 'boolean', default: false },
  },
});
/** Servers against which areas are replayed concurrently. */
const SERVERS = 2;
const folder = path.resolve(options.dir);
const floorFile = path.join(root, 'conformance.floor.json');
/** The cases about API keys need a master key of at least 16 bytes. */
const MASTER_KEY = 'conformance-master-key';

function areasOf(scenarios) {
  const files = fs.readdirSync(scenarios).filter((file) => file.endsWith('.json'));
  const areas = files.map((file) => JSON.parse(fs.readFileSync(path.join(scenarios, file), 'utf8')).area);
  return [...new Set(areas)].sort();
}

/** Replays one area: { pass, total, failures: [{ name, problem }] }. */
async function play(area, base, report) {
  const parameters = [path.join(folder, 'run.mjs'), '--base', base, '--key', MASTER_KEY, '--area', area];
  const child = spawn(process.execPath, [...parameters, '--json', report, '--show', '0'], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  await new Promise((done) => child.on('close', done));
  if (!fs.existsSync(report)) throw new Error(`the runner left no report for area ${area}`);
  const { pass, total, failures } = JSON.parse(fs.readFileSync(report, 'utf8'));
  fs.rmSync(report);
  // the runner lists failed setups among the cases
  const cases = failures.filter(({ name }) => !name.endsWith('.json setup'));
  return { pass, total, failures: cases.map(({ name, problems }) => ({ name, problem: problems[0] })) };
}

/** Replays an area, and once more if fewer than `least` cases passed; cases that passed in either run count. */
async function playAgainBelow(least, area, base, report) {
  const first = await play(area, base, report);
  if (first.pass >= least) return first;
  const again = new Set((await play(area, base, report)).failures.map(({ name }) => name));
  const failures = first.failures.filter(({ name }) => again.has(name));
  return { pass: first.total - failures.length, total: first.total, failures };
}

if (!fs.existsSync(path.join(folder, 'run.mjs'))) {
  console.log(`conformance: no runner in ${folder}, left out`);
  process.exit(0);
}
const floor = JSON.parse(fs.readFileSync(floorFile, 'utf8'));
const work = fs.mkdtempSync(path.join(os.tmpdir(), 'conformance-'));
const results = {};
const known = areasOf(path.join(folder, 'scenarios'));
const waiting = options.area ? [options.area] : known.filter((area) => options.raise || floor[area] > 0);

/** Replays waiting areas one after the other against one server. */
async function playWaiting() {
  const server = await startServer({ masterKey: MASTER_KEY });
  try {
    for (let area = waiting.shift(); area; area = waiting.shift()) {
      const started = performance.now();
      results[area] = await playAgainBelow(floor[area] ?? 0, area, server.base, path.join(work, `${area}.json`));
      const { pass, total } = results[area];
      const seconds = Math.round((performance.now() - started) / 1000);
      const verdict = pass < (floor[area] ?? 0) ? 'BELOW THE FLOOR' : `${seconds} s`;
      console.log(`conformance ${area}: ${pass} of ${total}, floor ${floor[area] ?? 0}, ${verdict}`);
    }
  } finally {
    await server.remove();
  }
}

const ends = await Promise.allSettled(Array.from({ length: SERVERS }, playWaiting));
for (const { reason } of ends.filter(({ status }) => status === 'rejected')) {
  console.error(reason);
  process.exitCode = 2;
}
fs.rmSync(work, { recursive: true });
const fallen = Object.entries(results).filter(([area, { pass }]) => pass < (floor[area] ?? 0));
for (const [area, { failures }] of fallen) {
  for (const { name, problem } of failures) console.log(`FAIL ${area} / ${name}\n     ${problem}`);
}
if (options.json) fs.writeFileSync(options.json, `${JSON.stringify(results, null, 1)}\n`);
if (options.raise) {
  for (const [area, { pass }] of Object.entries(results)) floor[area] = Math.max(floor[area] ?? 0, pass);
  fs.writeFileSync(floorFile, `${JSON.stringify(floor, null, 2)}\n`);
}
const passed = Object.values(results).reduce((sum, { pass }) => sum + pass, 0);
const missing = fallen.reduce((sum, [area, { pass }]) => sum + floor[area] - pass, 0);
console.log(`${passed} passed, ${missing} failed`);
if (missing > 0) process.exitCode ||= 1;
