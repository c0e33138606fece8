import { createRequire } from 'node:module';
import type { Liquid } from 'liquidjs';
import { outputText } from './output.js';

/** Characters of the source of a template. */
export const MAX_TEMPLATE_LENGTH = 1 << 20;
/** Milliseconds of CPU time that one rendering may take, after an attempt that took as much wall time. */
export const MAX_RENDERING_MS = 500;
/** Characters and items that one rendering may produce. */
export const MAX_RENDERED_LENGTH = 32 << 20;
/** Tags that read files, which are refused. */
const FILE_TAGS = ['include', 'render', 'layout', 'block'] as const;

let liquid: Liquid | null = null;

/**
 * The engine of templates. Loading it takes 10 ms and 2 MB in each thread, and few indexes have templates that need it, so it is loaded,
 * unbundled, by the first one.
 */
export function liquidEngine(): Liquid {
  liquid ??= createEngine();
  return liquid;
}

function createEngine(): Liquid {
  const { Liquid, toValue }: typeof import('liquidjs') = createRequire(import.meta.url)('liquidjs');
  const write = (value: unknown) => outputText(value, toValue);
  const engine = new Liquid({
    strictVariables: true,
    strictFilters: true,
    ownPropertyOnly: true,
    lenientIf: true,
    parseLimit: MAX_TEMPLATE_LENGTH,
    renderLimit: MAX_RENDERING_MS,
    memoryLimit: MAX_RENDERED_LENGTH,
    outputEscape: write,
  });
  for (const tag of FILE_TAGS) delete engine.tags[tag];
  // The library's filter lowercases the other letters.
  engine.registerFilter('capitalize', (value) => {
    const [first = '', ...rest] = write(value);
    return first.toUpperCase() + rest.join('');
  });
  return engine;
}
