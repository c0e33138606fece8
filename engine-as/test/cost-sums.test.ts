import t from 'tap';
import { loadKernels } from '../../bindings/test/engine.js';
import { seededRandom } from '../../bindings/test/random.js';

const SEED = Number(process.env.SEED ?? 4087);
const NO_SUM = -1;
const engine = loadKernels();
const random = seededRandom(SEED);
t.comment(`seed ${SEED}`);

t.test('costs added up for all documents of a bitmap, smallest sum first', async (t) => {
  for (let i = 0; i < 300; i++) {
    engine.scoped(() => {
      const universe = 1 + random.int(random.pick([8, 130, 1500]));
      const bytes = Math.ceil(universe / 128) * 16;
      const bitmap = (members: readonly number[]): number => {
        const at = engine.exports.allocZeroed(bytes);
        for (const member of members) engine.exports.bitmapAdd(at, member);
        return at;
      };
      const all = Array.from({ length: universe }, (_, document) => document);
      const some = (): number[] => all.filter(() => random.int(4) > 0);
      const documents = some();
      const costs = random.pick([[0], [0, 1], [0, 2, 4, 6], [1, 3, 10], [0, 1, 2, 3, 63]]);
      const nodes = Array.from({ length: 1 + random.int(5) }, () =>
        all.map(() => (random.int(20) === 0 ? undefined : random.pick(costs))),
      );
      const greatest = nodes.length * Math.max(...costs);
      const sums = engine.exports.sumsCreate(bitmap(documents), bytes, greatest);
      for (const node of nodes) {
        const sets = costs.flatMap((cost) => [cost, bitmap(all.filter((document) => node[document] === cost))]);
        engine.exports.sumsAdd(sums, engine.putWords(sets), costs.length);
      }
      const naive = new Map<number, number>();
      for (const document of documents) {
        const own = nodes.map((node) => node[document]);
        if (!own.includes(undefined))
          naive.set(
            document,
            own.reduce<number>((sum, cost) => sum + (cost ?? 0), 0),
          );
      }
      const out = engine.exports.allocZeroed(bytes);
      for (;;) {
        // Other evaluations take documents in between.
        const left = some().filter((document) => naive.has(document));
        for (const document of naive.keys()) if (!left.includes(document)) naive.delete(document);
        const least = engine.exports.sumsLeast(sums, bitmap(left), out) | 0;
        const expected = Math.min(...naive.values());
        if (least === NO_SUM || naive.size === 0) {
          t.equal(least, naive.size === 0 ? NO_SUM : expected);
          break;
        }
        const found = all.filter((document) => engine.exports.bitmapHas(out, document));
        const nearest = [...naive].filter(([, sum]) => sum === expected).map(([document]) => document);
        if (least !== expected || found.join() !== nearest.join()) t.same({ least, found }, { least: expected, found: nearest });
        for (const document of nearest) naive.delete(document);
      }
    });
  }
});
