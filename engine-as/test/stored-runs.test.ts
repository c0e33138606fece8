import t from 'tap';
import { SegmentBuilder } from '../../bindings/engine/builder.js';
import { PLAIN_CONFIG } from '../../bindings/test/builder-config.js';
import { loadKernels } from '../../bindings/test/engine.js';
import { seededRandom } from '../../bindings/test/random.js';
import { SegmentFile } from './segment-file.js';
import { SEED, sentence } from './segment-support.js';

const SEGMENT = 3;
/** Least share of the postings of a run that a stored part has. */
const PART_SHARE = 4;

type Range = [number, number];

/** The terms [from, to), divided at the stored runs with a quarter of the postings: the first one counts, of two the longer one. */
function naiveParts(file: SegmentFile, [from, to]: Range): Range[] {
  const terms = file.terms();
  const postings = (a: number, b: number) => terms.slice(a, b).reduce((sum, term) => sum + term.postings.length, 0);
  const least = Math.floor(postings(from, to) / PART_SHARE);
  const stored = file.longRuns().sort((a, b) => a.from - b.from || b.to - a.to);
  const owner = Array.from({ length: to - from }, () => -1);
  for (const [i, run] of stored.entries()) {
    const isInside = run.from >= from && run.to <= to && to - from > 1;
    if (!isInside || postings(run.from, run.to) < least || owner[run.from - from] !== -1) continue;
    owner.fill(i, run.from - from, run.to - from);
  }
  const parts: Range[] = [];
  for (let term = from; term < to; term++) {
    const last = parts.at(-1);
    if (last !== undefined && owner[term - from] === owner[term - from - 1]) last[1] = term + 1;
    else parts.push([term, term + 1]);
  }
  return parts;
}

t.test('runs are divided where segments store the documents of their parts', async (t) => {
  const random = seededRandom(SEED);
  const encoder = new TextEncoder();
  let divided = 0;
  for (let round = 0; round < 12; round++) {
    const engine = loadKernels();
    const config = { ...PLAIN_CONFIG, searchable: ['a', 'b'], longRun: random.pick([1, 10, 40]) };
    const builder = new SegmentBuilder(engine, config);
    const documents = random.pick([3, 60, 200]);
    for (let id = 0; id < documents; id++) {
      const document = { id, a: sentence(random, random.pick([1, 5, 40])), b: sentence(random, 3) };
      builder.add(id, encoder.encode(String(id)), encoder.encode(JSON.stringify(document)));
    }
    const { pieces } = builder.finishInMemory();
    const bytes = Buffer.concat(pieces);
    const file = new SegmentFile(bytes);
    const view = engine.exports.segmentOpen(engine.put(bytes));
    const count = file.terms().length;
    for (let i = 0; i < 40 && count > 0; i++) {
      const from = random.int(count);
      const to = from + 1 + random.int(random.pick([2, 8, count - from]) ?? 1);
      const range: Range = [from, Math.min(to, count)];
      const runs = engine.exports.runsCreate();
      engine.exports.divideRun(view, SEGMENT, ...range, runs);
      const [data, length] = new Uint32Array(engine.memory.buffer, runs, 2) as unknown as [number, number];
      const words = [...new Uint32Array(engine.memory.buffer, data, length / 4)];
      const parts = naiveParts(file, range);
      if (parts.length > 1) divided++;
      t.same(
        words,
        parts.flatMap((part) => [SEGMENT, ...part]),
        `seed ${SEED} round ${round} ${range}`,
      );
    }
  }
  t.ok(divided > 20, 'runs were divided');
});
