import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type * as EngineIndexModule from '../test/differential/engine-index.js';
import type * as SettingsModule from '../test/oracle/settings.js';
import type { DataSet } from './data.js';

/** An index searched by a build, on the calling thread. */
export interface Version {
  name: string;
  /** Answers a search like a search thread, which writes answers where the host reads them; `take` receives the bytes. */
  search(body: Uint8Array, take?: (answer: Uint8Array) => void): void;
}

/** Opens a data set as one segment, with the engine and the bindings of a build. */
export async function openVersion(dist: string, data: DataSet): Promise<Version> {
  // used by the helpers of the tests
  process.env.PEREGRINE_ENGINE = path.resolve(dist, 'engine/peregrine.plain.wasm');
  const load = <T>(file: string): Promise<T> => import(pathToFileURL(path.resolve(dist, file)).href);
  const { EngineBench } = await load<typeof EngineIndexModule>('test/differential/engine-index.js');
  const { completeSettings } = await load<typeof SettingsModule>('test/oracle/settings.js');
  const settings = completeSettings({
    searchableAttributes: data.textFields,
    filterableAttributes: [...data.facetFields, ...data.numberFields],
    sortableAttributes: data.numberFields,
  });
  const documents = data.documents.map((document, internalId) => {
    const { [data.primaryKey]: id, ...members } = document;
    return { internalId, json: JSON.stringify({ id: id ?? internalId, ...members }) };
  });
  const index = new EngineBench().index(settings, documents, { segments: 1, memories: 1 });
  return {
    name: path.relative(process.cwd(), path.resolve(dist)) || '.',
    search: (body, take = ignore) => index.searchInto(body, take),
  };
}

function ignore(): void {}
