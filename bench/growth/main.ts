import fs from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { readDataSet, syntheticDataSet } from '../data.js';
import { Build } from './build.js';
import { type GrowthRow, growthTables } from './report.js';
import { measureRounds } from './rounds.js';

/** `npm run bench -- growth`: README.md says what is measured and what the flags are. */

const COUNTS = '64000,320000,1000000';

export async function benchGrowth(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      data: { type: 'string' },
      'primary-key': { type: 'string', default: 'id' },
      counts: { type: 'string', default: COUNTS },
      peer: { type: 'string' },
      queries: { type: 'string', default: '300' },
      updates: { type: 'string', default: '60' },
      seed: { type: 'string', default: '12345' },
      json: { type: 'string' },
    },
  });
  const data = values.data === undefined ? syntheticDataSet() : readDataSet(values.data, values['primary-key']);
  const programs = [{ name: 'this build', program: undefined as string | undefined }];
  if (values.peer !== undefined) programs.push({ name: values.peer, program: path.resolve(values.peer, 'dist/host/main.js') });
  const order = { queries: Number(values.queries), updates: Number(values.updates), seed: Number(values.seed) };
  const rows: GrowthRow[] = [];
  for (const count of values.counts.split(',').map(Number)) {
    const builds: Build[] = [];
    try {
      for (const { name, program } of programs) builds.push(await Build.start(name, program, data, count));
      rows.push(...(await measureRounds(builds, data, order)));
    } finally {
      for (const build of builds) await build.remove();
    }
    console.log(`${growthTables(rows.filter((row) => row.documents === count))}\n`);
  }
  if (values.counts.includes(',')) console.log(growthTables(rows));
  const json = values.json ?? 'bench/out/growth.json';
  fs.mkdirSync(path.dirname(path.resolve(json)), { recursive: true });
  fs.writeFileSync(json, `${JSON.stringify(rows, null, 1)}\n`);
  console.log(`\n${json}`);
}
