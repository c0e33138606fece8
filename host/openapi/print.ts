import { openApiDocument } from './document.js';

/** Prints the description that is kept in docs/. */
process.stdout.write(`${JSON.stringify(openApiDocument(), null, 1)}\n`);
