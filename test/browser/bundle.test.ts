import fs from 'node:fs';
import vm from 'node:vm';
import t from 'tap';
import { ApiError } from '../../bindings/errors.js';
import { LocalIndex, type LocalIndexOptions } from '../../bindings/local-index.js';
import { ENGINE_FILE } from '../../bindings/test/engine.js';
import { EngineBench } from '../differential/engine-index.js';
import { completeSettings } from '../oracle/settings.js';
import { BUNDLE_GLOBAL, bundleForBrowsers } from './bundle.js';
import { asked, sample, stable } from './sample.js';

/** The only globals besides those of the language. */
const WEB_GLOBALS = { TextEncoder, TextDecoder, performance, crypto };

type Search = (body: string) => string;

/** Opens the index inside a context without Node's globals; only texts cross its border from then on. */
const OPEN = `(module, options) => {
  const index = new ${BUNDLE_GLOBAL}.LocalIndex(new WebAssembly.Module(module), options);
  return (body) => {
    try {
      return new TextDecoder().decode(index.search(new TextEncoder().encode(body)));
    } catch (error) {
      if (error instanceof ${BUNDLE_GLOBAL}.ApiError) return JSON.stringify({ code: error.code });
      throw error;
    }
  };
}`;

function searchHere(index: LocalIndex, body: string): Record<string, unknown> {
  try {
    return JSON.parse(new TextDecoder().decode(index.search(new TextEncoder().encode(body))));
  } catch (error) {
    if (error instanceof ApiError) return { code: error.code };
    throw error;
  }
}

t.test('the bundle searches where only web globals are', async (t) => {
  const documents = sample.documents.map((json, internalId) => ({ internalId, json }));
  const bench = new EngineBench();
  const options: LocalIndexOptions = bench.files(completeSettings(sample.settings), documents, {
    segments: 2,
    memories: 1,
  });
  const here = new LocalIndex(bench.module, options);

  const context = vm.createContext({ ...WEB_GLOBALS });
  t.same(vm.runInContext('[typeof process, typeof Buffer, typeof require]', context), Array(3).fill('undefined'));
  vm.runInContext(await bundleForBrowsers(), context);
  const open = vm.runInContext(OPEN, context) as (module: Uint8Array, options: LocalIndexOptions) => Search;
  const there = open(fs.readFileSync(ENGINE_FILE), options);

  for (const request of sample.requests) {
    const body = JSON.stringify(asked(request));
    const answer = JSON.parse(there(body)) as Record<string, unknown>;
    const expected = searchHere(here, body);
    t.same({ ...stable(answer), code: answer.code }, { ...stable(expected), code: expected.code }, body);
  }
});
