#!/usr/bin/env node
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * Builds the engine again, from the same sources in another folder, and compares its bytes with those of dist:
 *   node dist/test/long/reproducible.js
 * Exit status: 0 the same, 1 others.
 */
const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const FILES = { plain: 'dist/engine/peregrine.plain.wasm', shared: 'dist/engine/peregrine.shared.wasm' };

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'peregrine-build-'));
for (const name of ['engine-as', 'asconfig.json', 'package.json'])
  fs.cpSync(path.join(ROOT, name), path.join(folder, name), { recursive: true });
fs.symlinkSync(path.join(ROOT, 'node_modules'), path.join(folder, 'node_modules'));
for (const [target, file] of Object.entries(FILES)) {
  execFileSync(path.join(ROOT, 'node_modules/.bin/asc'), ['--target', target], { cwd: folder, stdio: 'inherit' });
  const [built, again] = [ROOT, folder].map((place) => fs.readFileSync(path.join(place, file)));
  const same = built!.equals(again!);
  console.log(`${file}: ${built!.length} bytes, built again ${same ? 'the same' : `others, ${again!.length} of them`}`);
  if (!same) process.exitCode = 1;
}
fs.rmSync(folder, { recursive: true });
