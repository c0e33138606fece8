#!/usr/bin/env node
/**
 * Checks what package-lock.json installs, and prints how many packages have each licence:
 *   node scripts/packages.mjs [--list] [LOCK FILE]
 * Every package, of every platform, must have a SHA-512 and no address of a registry, and one of the licences below; only the packages
 * named below may run scripts when they are installed. `--list` prints each package with its version and licence.
 * Exit status: 0 all of this holds, 1 otherwise.
 */
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));

/** Licences that allow any use; of a choice one is enough. */
const ALLOWED = new Set([
  'MIT',
  'MIT/X11',
  'ISC',
  '0BSD',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'CC0-1.0',
  'CC-BY-3.0',
]);
/** Licences of packages whose manifest names none, as the file in them says. */
const IN_FILES = new Map([
  ['hogan.js@3.0.2', 'Apache-2.0'],
  ['jsonc-simple-parser@3.0.0', 'MIT'],
]);
/** Packages that may run scripts when they are installed, and why. */
const WITH_SCRIPTS = new Map([
  ['rocksdb', 'chooses its prebuilt library; compiles where there is none'],
  ['esbuild', 'checks its binary; for development'],
]);

const lists = process.argv.includes('--list');
const lock = process.argv.slice(2).find((argument) => argument !== '--list') ?? path.join(root, 'package-lock.json');
const { packages } = JSON.parse(fs.readFileSync(lock, 'utf8'));
const problems = [];
const counts = new Map();
for (const [place, { version, license, integrity, resolved, hasInstallScript }] of Object.entries(packages)) {
  if (place === '') continue;
  const name = place.slice(place.lastIndexOf('node_modules/') + 'node_modules/'.length);
  const named = license ?? IN_FILES.get(`${name}@${version}`);
  const choices = (named ?? '').replace(/[()]/g, '').split(' OR ');
  if (!choices.some((choice) => ALLOWED.has(choice))) problems.push(`${name}@${version}: its licence is ${named ?? 'not known'}`);
  if (resolved !== undefined) problems.push(`${name}@${version}: the lock names ${resolved}`);
  if (hasInstallScript && !WITH_SCRIPTS.has(name)) problems.push(`${name}@${version}: it runs scripts when it is installed`);
  if (!/^sha512-.{86}==$/.test(integrity ?? '')) problems.push(`${name}@${version}: the lock has no SHA-512 of it`);
  counts.set(named, (counts.get(named) ?? 0) + 1);
  if (lists) console.log(`${name}@${version}\t${named}`);
}
const all = [...counts].sort(([, a], [, b]) => b - a).map(([licence, count]) => `${licence} ${count}`);
console.log(`${Object.keys(packages).length - 1} packages: ${all.join(', ')}`);
for (const problem of problems) console.error(problem);
process.exitCode = problems.length === 0 ? 0 : 1;
