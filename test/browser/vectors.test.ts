import fs from 'node:fs';
import vm from 'node:vm';
import t, { type Test } from 'tap';
import { ENGINE_FILE } from '../../bindings/test/engine.js';
import { bundleForBrowsers } from './bundle.js';
import { askServer, type SavedIndex, SEARCH_ALL } from './saved-index.js';
import { vectorSample } from './vector-sample.js';

/** The only globals besides those of the language. */
const WEB_GLOBALS = { TextEncoder, TextDecoder, performance, crypto, atob };

type SearchAll = (input: SavedIndex & { engine: string; bodies: readonly string[] }) => string[];

/** Vectors of segments of this size are scanned by default; with the flag a graph is built. */
const FLAGS = { scans: [], graphs: ['--experimental-vector-scan-limit', '0'] };

for (const [name, flags] of Object.entries(FLAGS)) {
  t.test(`the bundle answers searches by vectors from the files of a server with ${name} as the server did`, (t) =>
    compare(t, flags),
  );
}

async function compare(t: Test, flags: string[]): Promise<void> {
  const corpus = vectorSample();
  const { answers: expected, ...saved } = await askServer(corpus, flags);
  const context = vm.createContext({ ...WEB_GLOBALS });
  vm.runInContext(await bundleForBrowsers(), context);
  const searchAll = vm.runInContext(SEARCH_ALL, context) as SearchAll;
  const answers = searchAll({ ...saved, engine: fs.readFileSync(ENGINE_FILE, 'base64'), bodies: corpus.bodies });
  for (const [k, body] of corpus.bodies.entries()) {
    const [here, there] = [answers, expected].map((texts) => {
      const { processingTimeMs, requestUid, ...rest } = JSON.parse(texts[k] as string) as Record<string, unknown>;
      return rest;
    });
    t.ok(((there as Record<string, unknown>).hits as unknown[]).length > 0, body);
    t.same(here, there, body);
  }
}
