import fs from 'node:fs';
import { openApiDocument } from '../http/openapi.js';
import { errorReference } from './errors.js';
import { optionReference } from './options.js';

/** Writes the files of docs/ that are generated from tables. Run it from the root of the repository. */
fs.writeFileSync('docs/openapi.json', `${JSON.stringify(openApiDocument(), null, 1)}\n`);
fs.writeFileSync('docs/reference/errors.md', errorReference());
fs.writeFileSync('docs/reference/options.md', optionReference());
