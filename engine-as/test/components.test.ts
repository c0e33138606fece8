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
      const component = engine.exports.setsComponentCreate(context);
      // Sets may overlap; a document has the least cost.
      const base = 128 * random.int(Math.floor(bytes / 16));
      const within = costs.map(() => random.int(4) > 0);
      const listed = random.int(2) > 0;
      const other = costs.map((_, slot) => slot >= base && random.int(4) === 0);
      const slotsWhere = (isMember: (slot: number) => boolean) => costs.flatMap((_, slot) => (isMember(slot) ? [slot] : []));
      for (const cost of [0, 2, 7]) {
        engine.exports.setsComponentAdd(component, bitmap(slotsWhere((slot) => costs[slot] === cost)), bytes, 0, cost, 0);
        if (cost !== 2) continue;
        const members = slotsWhere((slot) => other[slot] === true).map((slot) => slot - base);
        const allowed = bitmap(slotsWhere((slot) => within[slot] === true));
        if (listed) engine.exports.setsComponentAddListed(component, engine.putWords(members), members.length, base, 3, allowed);
        else engine.exports.setsComponentAdd(component, bitmap(members), bytes - base / 8, base, 3, allowed);
      }
      const leastCost = (slot: number): number => {
        const own = costs[slot] as number;
        return other[slot] && within[slot] ? Math.min(own, 3) : own;
      };
      // The fields of SetsComponent.
      const [, at = 0, left] = new Uint32Array(engine.memory.buffer, component, 3);
      const found = new Uint16Array(engine.memory.buffer, at, slots.length);
      const expected = slots.map(leastCost);
      if (found.join() !== expected.join()) t.same([...found], expected);
      t.equal(left, expected.filter((cost) => cost === IMPOSSIBLE).length);
    });
  }
  t.pass('500 random contexts');
});
