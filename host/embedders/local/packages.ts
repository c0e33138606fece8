import { createRequire } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { LocalModelError } from './model.js';

/** Optional packages: only needed by servers that use local models. */
export const TOKENIZERS = '@huggingface/tokenizers';
export const RUNTIME = 'onnxruntime-web';

/**
 * Loads an optional package, installed with the server or in the models folder.
 * @throws {LocalModelError} when it is installed in neither place
 */
export async function optionalPackage<T>(name: string, models: string): Promise<T> {
  const file = resolved(name, import.meta.url) ?? resolved(name, path.join(path.resolve(models), 'package.json'));
  if (file === null) {
    throw new LocalModelError(
      `models in the process need the package \`${name}\`, which is not installed: ` +
        `\`npm install --prefix ${models} ${TOKENIZERS} ${RUNTIME}\` installs all that they need.`,
    );
  }
  const module = (await import(pathToFileURL(file).href)) as T & { default?: T };
  return module.default ?? module;
}

function resolved(name: string, from: string): string | null {
  try {
    return createRequire(from).resolve(name);
  } catch {
    return null;
  }
}
