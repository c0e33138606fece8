import t from 'tap';
import { IMPOSSIBLE } from '../../bindings/engine/exports.js';
import { loadKernels } from '../../bindings/test/engine.js';
import { seededRandom } from '../../bindings/test/random.js';

const SEED = Number(process.env.SEED ?? 731);
const engine = loadKernels();
const random = seededRandom(SEED);
t.comment(`seed ${SEED}`);

t.test('costs of the documents of a context by sets of documents', async (t) => {
  for (let i = 0; i < 500; i++) {
    engine.scoped(() => {
      const universe = 1 + random.int(random.pick([8, 64, 130, 3000]));
      const bytes = Math.ceil(universe / 128) * 16;
      const bitmap = (members: readonly number[]): number => {
        const at = engine.exports.allocZeroed(bytes);
        for (const member of members) engine.exports.bitmapAdd(at, member);
        return at;
      };
      const slots = Array.from({ length: universe }, (_, slot) => slot).filter(() => random.int(3) > 0);
      const costs = Array.from({ length: universe }, () => random.pick([IMPOSSIBLE, 0, 2, 7]));
      const context = engine.exports.contextCreate(bitmap(slots), bytes, slots.length);
      const sets = [0, 2, 7].flatMap((cost) => [cost, bitmap(costs.flatMap((own, slot) => (own === cost ? [slot] : [])))]);
      const component = engine.exports.setsComponent(context, engine.putWords(sets), sets.length / 2);
      const found = new Uint16Array(engine.memory.buffer, component, slots.length);
      const expected = slots.map((slot) => costs[slot] as number);
      if (found.join() !== expected.join()) t.same([...found], expected);
    });
  }
  t.pass('500 random contexts');
});
