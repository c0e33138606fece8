#!/usr/bin/env node
/**
 * The ratchet: plays the recorded exchanges of a folder against a fresh server and fails when an area passes fewer of them
 * than conformance.floor.json says.
 *   node scripts/conformance.mjs [--dir ../shared/conformance] [--area NAME] [--raise] [--json FILE]
 * The folder holds run.mjs (the runner) and scenarios/*.json; without it there is nothing to do, which is no failure. An area below
 * its floor runs once more, and a case that passed once has passed. --raise writes what passed into the floor, where that is higher.
 * Exit status: 0 every floor holds, 1 some area fell below its floor, 2 the run itself failed.
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
const folder = path.resolve(options.dir);
const floorFile = path.join(root, 'conformance.floor.json');
/** Long enough for the keys' tests, which need a master key. */
const MASTER_KEY = 'conformance-master-key';
function areasOf(scenarios) {
  const files = fs.readdirSync(scenarios).filter((file) => file.endsWith('.json'));
  const areas = files.map((file) => JSON.parse(fs.readFileSync(path.join(scenarios, file), 'utf8')).area);
  return [...new Set(areas)].sort();
}

/** Plays one area: { pass, total, failures: [names] }. */
async function play(area, base, report) {
  const parameters = [path.join(folder, 'run.mjs'), '--base', base, '--key', MASTER_KEY, '--area', area];
  const child = spawn(process.execPath, [...parameters, '--json', report, '--show', '0'], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  await new Promise((done) => child.on('close', done));
  if (!fs.existsSync(report)) throw new Error(`the runner left no report for area ${area}`);
  const { pass, total, failures } = JSON.parse(fs.readFileSync(report, 'utf8'));
  fs.rmSync(report);
  // a setup that fails is listed with the cases, but it is none
  const cases = failures.filter(({ name }) => !name.endsWith('.json setup'));
  return { pass, total, failures: cases.map(({ name, problems }) => ({ name, problem: problems[0] })) };
}

/** A case counts as passed when it passes once; only an area below its floor gets the second chance. */
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
const server = await startServer({ masterKey: MASTER_KEY });
const results = {};
try {
  for (const area of options.area ? [options.area] : areasOf(path.join(folder, 'scenarios'))) {
    results[area] = await playAgainBelow(floor[area] ?? 0, area, server.base, path.join(work, 'report.json'));
    const { pass, total } = results[area];
    const below = pass < (floor[area] ?? 0);
    console.log(`conformance ${area}: ${pass}/${total}, floor ${floor[area] ?? 0}${below ? ' BELOW THE FLOOR' : ''}`);
  }
} catch (error) {
  console.error(error);
  process.exitCode = 2;
} finally {
  await server.remove();
  fs.rmSync(work, { recursive: true });
}
const fallen = Object.entries(results).filter(([area, { pass }]) => pass < (floor[area] ?? 0));
for (const [area, { failures }] of fallen) {
  for (const { name, problem } of failures) console.log(`FAIL ${area} / ${name}\n     ${problem}`);
}
if (options.json) fs.writeFileSync(options.json, `${JSON.stringify(results, null, 1)}\n`);
if (options.raise) {
  for (const [area, { pass }] of Object.entries(results)) floor[area] = Math.max(floor[area] ?? 0, pass);
  fs.writeFileSync(floorFile, `${JSON.stringify(floor, null, 2)}\n`);
}
const sum = (key) => Object.values(results).reduce((total, result) => total + result[key], 0);
const verdict = fallen.length === 0 ? 'every floor holds' : `${fallen.length} below the floor`;
console.log(`conformance: ${sum('pass')} passed, ${sum('total') - sum('pass')} failed, ${verdict}`);
if (fallen.length > 0) process.exitCode ||= 1;
