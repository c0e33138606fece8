#!/usr/bin/env node
/**
 * Builds dist/: the engine (WebAssembly, two targets) and the TypeScript.
 *   node scripts/build.mjs                 everything
 *   node scripts/build.mjs --if-missing    only when dist/ is not complete
 *   node scripts/build.mjs --engine-part text OUT.wasm   only the exports of engine-as/assembly/text, plain target
 */
import { spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const bin = (name) => path.join(root, 'node_modules', '.bin', name);
const args = process.argv.slice(2);

/** Runs a compiler and prints what it says in one piece, as several run at once; resolves to its exit status. */
async function run(name, ...parameters) {
  const child = spawn(bin(name), parameters, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
  const said = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => said.push(chunk));
  const status = await new Promise((ended) => child.on('close', ended));
  process.stderr.write(Buffer.concat(said));
  return status ?? 1;
}

const products = ['dist/engine/peregrine.plain.wasm', 'dist/engine/peregrine.shared.wasm', 'dist/host/main.js'];
const complete = () => products.every((file) => fs.existsSync(path.join(root, file)));

if (args[0] === '--engine-part') {
  const [, part, out] = args;
  const config = JSON.parse(fs.readFileSync(path.join(root, 'asconfig.json'), 'utf8'));
  const options = { ...config.options, outFile: out };
  const file = path.join(root, `.asconfig.${part}.json`);
  fs.writeFileSync(
    file,
    JSON.stringify({
      entries: ['engine-as/assembly/runtime/exports.ts', `engine-as/assembly/${part}/exports.ts`],
      options,
      targets: { plain: {} },
    }),
  );
  const { status } = spawnSync(bin('asc'), ['--config', file, '--target', 'plain'], { cwd: root, stdio: 'inherit' });
  fs.rmSync(file);
  process.exit(status ?? 1);
}
if (!(args[0] === '--if-missing' && complete())) {
  // lists of words that some scripts need, read when a text has them
  fs.cpSync(path.join(root, 'engine-as/data'), path.join(root, 'dist/engine/words'), { recursive: true });
  const compilers = [run('tsc', '-p', 'tsconfig.json'), run('asc', '--target', 'plain'), run('asc', '--target', 'shared')];
  process.exitCode = (await Promise.all(compilers)).find((status) => status !== 0) ?? 0;
}
