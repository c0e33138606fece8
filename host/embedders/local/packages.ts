import { createRequire } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { LocalModelError } from './model.js';

/** Packages that only local models need: whoever uses none does without them. */
export const TOKENIZERS = '@huggingface/tokenizers';
export const RUNTIME = 'onnxruntime-web';

/**
 * Loads an optional package: one that is installed with the server, or else below the folder of models.
 * @throws {LocalModelError} it is installed in neither place
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
