import { seededRandom } from '../../bindings/test/random.js';
import type { DataSet } from '../data.js';
import { querySets, type SearchBody } from '../queries.js';
import { median, percentile } from '../statistics.js';
import type { Build, Effort } from './build.js';
import type { GrowthRow } from './report.js';

export interface RoundOptions {
  /** Searches of each class, none twice. */
  queries: number;
  /** Documents that are written one after the other. */
  updates: number;
  seed: number;
}

const NO_EFFORT: Effort = { seconds: 0, processorSeconds: 0 };
const MANY_UPDATES = 3000;
const RESTARTS = 3;
/** Query sets that repeat queries, or send several at once. */
const LEFT_OUT = new Set(['multi']);

/** Measures builds with the same documents: part by part, each build in turn. */
export async function measureRounds(builds: readonly Build[], data: DataSet, options: RoundOptions): Promise<GrowthRow[]> {
  const rows = builds.map(({ name, documents, indexing }): GrowthRow => {
    return {
      build: name,
      documents,
      indexing,
      asks: {},
      updates: { p50: 0, p95: 0, processor: 0 },
      manyUpdates: NO_EFFORT,
      restart: NO_EFFORT,
    };
  });
  const inTurn = async (part: (build: Build, row: GrowthRow) => Promise<void>): Promise<void> => {
    for (const [k, build] of builds.entries()) await part(build, rows[k]!);
  };
  for (const { name, bodies } of firstAsks(data, options)) {
    await inTurn(async (build, row) => {
      row.asks[name] = await build.ask(bodies);
    });
  }
  const updates = builds.map((): Effort[] => []);
  const random = seededRandom(options.seed);
  for (let update = 0; update < options.updates; update++) {
    const id = 1 + random.int(builds[0]!.documents);
    for (const [k, build] of builds.entries()) updates[k]!.push(await build.update(id));
  }
  for (const [k, row] of rows.entries()) {
    const milliseconds = updates[k]!.map(({ seconds }) => 1000 * seconds).sort((a, b) => a - b);
    const processor = updates[k]!.reduce((sum, { processorSeconds }) => sum + 1000 * processorSeconds, 0) / options.updates;
    row.updates = { p50: percentile(milliseconds, 0.5), p95: percentile(milliseconds, 0.95), processor };
  }
  await inTurn(async (build, row) => {
    await build.rest();
    const ids = Array.from({ length: MANY_UPDATES }, () => 1 + random.int(build.documents));
    row.manyUpdates = await build.updateMany(ids);
    await build.rest();
  });
  const restarts = builds.map((): Effort[] => []);
  for (let round = 0; round < RESTARTS; round++) {
    for (const [k, build] of builds.entries()) {
      restarts[k]!.push(await build.restart({ q: data.textFields.length > 0 ? 'a' : '' }));
      await build.rest();
    }
  }
  for (const [k, row] of rows.entries()) {
    row.restart = {
      seconds: median(restarts[k]!.map(({ seconds }) => seconds)),
      processorSeconds: median(restarts[k]!.map(({ processorSeconds }) => processorSeconds)),
    };
  }
  return rows;
}

/** Classes of searches. Each search is sent once, so cached results help little. */
function firstAsks(data: DataSet, { queries, seed }: RoundOptions): { name: string; bodies: SearchBody[] }[] {
  return querySets(data, 3 * queries, seed)
    .filter(({ name }) => !LEFT_OUT.has(name))
    .map(({ name, bodies }) => {
      const different = new Map(bodies.map((body) => [JSON.stringify(body), body]));
      return { name, bodies: [...different.values()].slice(0, queries) };
    });
}
