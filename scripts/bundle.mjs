/**
 * Bundles the modules of the server, so that a process or a thread loads a few files when it starts instead of hundreds, each of which
 * Node.js would resolve, read and compile separately. The entry files in dist/host become one line each that loads the bundle.
 */
import fs from 'node:fs';
import path from 'node:path';
import { build } from 'esbuild';

/** Entry points: the process, its threads, and the modules that threads load by path. */
const ENTRIES = [
  'host/main',
  'host/search/worker/worker',
  'host/search/worker/handlers',
  'host/index/threads/worker',
  'host/embedders/local/worker',
];
/** Packages that are not bundled: they look for files beside their own code, or few processes need them. */
const EXTERNAL = [
  'rocksdb',
  'piscina',
  'pino',
  '@jitl/quickjs-wasmfile-release-sync',
  'quickjs-emscripten-core',
  '@huggingface/tokenizers',
  'onnxruntime-web',
];

/** Keeps `import.meta.url` of each module what it was before bundling, so that paths relative to it stay valid. */
const ownAddresses = (root) => ({
  name: 'own-addresses',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/](host|bindings)[\\/].*\.ts$/ }, async ({ path: file }) => {
      const text = await fs.promises.readFile(file, 'utf8');
      const built = path.relative(root, file).replaceAll(path.sep, '/').replace(/ts$/, 'js');
      const address = `new URL('../${built}', import.meta.url).href`;
      return { contents: text.replaceAll(/\bimport\.meta\.url\b/g, address), loader: 'ts' };
    });
  },
});

/** @param root of the project, whose dist/ holds what tsc has made */
export async function bundle(root) {
  const outdir = path.join(root, 'dist/bundle');
  fs.rmSync(outdir, { recursive: true, force: true });
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: Object.fromEntries(ENTRIES.map((entry) => [entry.replaceAll('/', '-'), `${entry}.ts`])),
    outdir,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    // reading white space and comments takes a part of the time of a start; names are kept for stack traces
    minifyWhitespace: true,
    external: EXTERNAL,
    plugins: [ownAddresses(root)],
    sourcemap: 'linked',
    metafile: true,
    logLevel: 'warning',
    // CommonJS packages call `require` for the modules of Node.js
    banner: { js: "import { createRequire as requireOf } from 'node:module';\nconst require = requireOf(import.meta.url);" },
  });
  for (const entry of ENTRIES) {
    const bundled = `bundle/${entry.replaceAll('/', '-')}.js`;
    const from = `'${'../'.repeat(entry.split('/').length - 1)}${bundled}'`;
    const names = metafile.outputs[`dist/${bundled}`].exports;
    const text = names.length ? `export { ${names.join(', ')} } from ${from};\n` : `#!/usr/bin/env node\nimport ${from};\n`;
    fs.writeFileSync(path.join(root, 'dist', `${entry}.js`), text);
  }
}
