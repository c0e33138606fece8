import t from 'tap';
import { loadKernels } from './engine.js';
import { seededRandom } from './random.js';

t.test('the cache returns the document stored last under a number', async (t) => {
  const seed = 11;
  t.comment(`seed ${seed}`);
  const random = seededRandom(seed);
  const engine = loadKernels();
  const { cachedDocument, cachedLength, keepDocument } = engine.exports;
  const find = (segment: number, local: number) => {
    const at = cachedDocument(segment, local);
    return at === 0 ? null : engine.bytes.subarray(at, at + cachedLength());
  };
  const kept = new Map<string, Uint8Array>();
  let found = 0;
  for (let step = 0; step < 30_000; step++) {
    const [segment, local] = [1 + random.int(3), random.int(300)];
    const name = `${segment}:${local}`;
    const known = find(segment, local);
    if (known) {
      found++;
      if (Buffer.compare(known, kept.get(name) ?? new Uint8Array(1)) !== 0) t.fail(`${name} differs at step ${step}`);
      continue;
    }
    // now and then one that is too long to be kept
    const json = new Uint8Array(random.int(100) === 0 ? (1 << 18) + random.int(9) : random.int(3000)).fill(step & 0xff);
    engine.scoped(() => keepDocument(segment, local, engine.put(json), json.length));
    kept.set(name, json);
  }
  t.ok(found > 1000, `${found} were found`);
  t.equal(find(9, 0), null);
});
