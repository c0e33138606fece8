#!/usr/bin/env node
import { parseArgs } from 'node:util';
import { federatedDifferential } from '../differential/federation.js';

/**
 * Federated searches of the engine against a plain merge of the oracle's searches:
 *   node dist/test/long/federation.js [--cases 2000] [--seed 100000]
 * Exit status: 0 all agree, 1 some answer differs.
 */
const { values } = parseArgs({
  options: { cases: { type: 'string', default: '2000' }, seed: { type: 'string', default: '100000' } },
});

const { cases, answered, differences } = federatedDifferential(Number(values.cases), Number(values.seed));
for (const report of differences.slice(0, 5)) console.log(`${report}\n`);
console.log(`${cases} federated searches, ${answered} answered, ${differences.length} different`);
process.exitCode = differences.length === 0 ? 0 : 1;
