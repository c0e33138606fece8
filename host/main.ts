#!/usr/bin/env -S node --max-semi-space-size=4 --no-memory-reducer
import { missingStartFlags, restartWith } from './start-flags.js';

/** Questions that are answered before a flag could matter. */
const QUESTIONS = ['--help', '-h', '--version', '-V'];

const missing = missingStartFlags();
if (missing.length === 0 || process.argv.some((argument) => QUESTIONS.includes(argument))) await import('./command.js');
else restartWith(missing);
