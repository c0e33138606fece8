#!/usr/bin/env node
/**
 * Builds dist/: the engine (WebAssembly, two targets), its exports as TypeScript (bindings/engine/exports.ts), the TypeScript, and the
 * modules of the server bundled into a few files (dist/bundle).
 *   node scripts/build.mjs                 everything
 *   node scripts/build.mjs --if-needed     only when dist/ is not complete, or a source is newer than it
 *   node scripts/build.mjs --debug-engine  only the debug build of the engine, with checks and the functions that only tests call
 */
import { spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const bin = (name) => path.join(root, 'node_modules', '.bin', name);
const args = process.argv.slice(2);

/** Runs a compiler and prints its output in one piece, as several run concurrently; resolves to its exit status. */
async function run(name, ...parameters) {
  const child = spawn(bin(name), parameters, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
  const output = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => output.push(chunk));
  const status = await new Promise((ended) => child.on('close', ended));
  process.stderr.write(Buffer.concat(output));
  return status ?? 1;
}

/** Compiles a target of the engine in this process, and passes its program to `compiled` before optimising it; resolves to the exit status. */
async function compileEngine(target, compiled) {
  const { default: asc } = await import('assemblyscript/asc');
  // asc sets `program` and `binaryen` of its transforms
  class Transform {
    /** So that the program has the types of the kernels, which this target does not export. */
    afterParse(parser) {
      parser.parseFile(fs.readFileSync(path.join(root, KERNELS), 'utf8'), KERNELS, false);
    }
    afterCompile(module) {
      compiled(this.program, { module, binaryen: this.binaryen });
    }
  }
  const { error, stderr } = await asc.main(['--target', target, '--baseDir', root], { transforms: [Transform] });
  process.stderr.write(stderr.toString());
  if (error) console.error(error.message);
  return error ? 1 : 0;
}

/** Leaves the time of an unchanged file, for tools that watch it. */
function writeIfChanged(file, text) {
  const target = path.join(root, file);
  if (!fs.existsSync(target) || fs.readFileSync(target, 'utf8') !== text) fs.writeFileSync(target, text);
}

const ENTRY = 'engine-as/assembly/index.ts';
const KERNELS = 'engine-as/assembly/kernels.ts';
const SOURCES = [
  'engine-as/assembly',
  'engine-as/data',
  'bindings',
  'host',
  'scripts',
  'asconfig.json',
  'package-lock.json',
  'tsconfig.json',
];
/** The file that a build writes last. */
const LAST_PRODUCT = 'dist/bundle/host-main.js';

/** Whether a build was completed after the last change of a source. So the server never runs an older version than its sources. */
function isCurrent() {
  const product = fs.statSync(path.join(root, LAST_PRODUCT), { throwIfNoEntry: false });
  if (!product) return false;
  const isOlder = (file) => fs.statSync(file).mtimeMs <= product.mtimeMs;
  return SOURCES.every((source) => {
    const at = path.join(root, source);
    return (
      isOlder(at) &&
      (!fs.statSync(at).isDirectory() || fs.readdirSync(at, { recursive: true }).every((file) => isOlder(path.join(at, file))))
    );
  });
}

/**
 * Copies the word lists, which are loaded when a text needs them: packed for pages that fetch them, and unpacked for the server, which
 * would take 20 to 150 ms to unpack one for the first text that needs it.
 */
function copyWordLists() {
  const folder = path.join(root, 'dist/engine/words');
  fs.cpSync(path.join(root, 'engine-as/data'), folder, { recursive: true });
  for (const name of fs.readdirSync(folder).filter((each) => each.endsWith('.gz'))) {
    fs.writeFileSync(path.join(folder, path.parse(name).name), gunzipSync(fs.readFileSync(path.join(folder, name))));
  }
}

/** Writes the commit that `GET /version` shows; without a repository an existing file is left as it is. */
function writeCommit() {
  const { status, stdout } = spawnSync('git', ['log', '-1', '--format=%H %cI'], { cwd: root, encoding: 'utf8' });
  if (status !== 0) return;
  const [commitSha, commitDate] = stdout.trim().split(' ');
  fs.writeFileSync(path.join(root, 'dist/commit.json'), JSON.stringify({ commitSha, commitDate }));
}

if (args[0] === '--debug-engine') {
  process.exitCode = await run('asc', KERNELS, '--target', 'debug');
} else if (!(args[0] === '--if-needed' && isCurrent())) {
  // imported here because loading them takes longer than finding that the build is current
  const { bundle } = await import('./bundle.mjs');
  const { engineExports } = await import('./engine-exports.mjs');
  copyWordLists();
  writeCommit();
  const compilers = [run('asc', '--target', 'shared')];
  // tsc needs the file made from the engine's program, but not the optimised engine, so both go on concurrently
  const plain = compileEngine('plain', (program, compiled) => {
    writeIfChanged('bindings/engine/exports.ts', engineExports(program, compiled, ENTRY, KERNELS));
    compilers.push(run('tsc', '-p', 'tsconfig.json'));
  });
  compilers.push(await plain);
  process.exitCode = (await Promise.all(compilers)).find((status) => status !== 0) ?? 0;
  if (process.exitCode === 0) await bundle(root);
}
