import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

/** The global that the bundle defines. */
export const BUNDLE_GLOBAL = 'Peregrine';

const ENTRY = fileURLToPath(new URL('../../bindings/browser.js', import.meta.url));

/** bindings/browser as one classic script; bundling fails if anything imports from Node.js. */
export async function bundleForBrowsers(): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [ENTRY],
    bundle: true,
    write: false,
    platform: 'browser',
    format: 'iife',
    globalName: BUNDLE_GLOBAL,
  });
  return outputFiles[0]!.text;
}
