import t from 'tap';
import { seededRandom } from '../../../bindings/test/random.js';
import { FreshDocuments } from '../../index/build/batch/fresh-documents.js';
import { KeyList, KeyTable } from '../../index/build/batch/key-table.js';
import { PendingDocuments } from '../../index/build/batch/pending.js';
import type { Source } from '../../index/build/batch/pending-columns.js';
import type { StoredDocuments } from '../../index/build/documents/stored-documents.js';

const seed = Number(process.env.SEED ?? Date.now() % 2 ** 31);

t.test('the key table agrees with a Map', async (t) => {
  t.comment(`seed ${seed}`);
  const random = seededRandom(seed);
  const table = new KeyTable();
  const naive = new Map<string, number>();
  for (let i = 0; i < 60_000; i++) {
    const key = String(random.int(40_000)).repeat(1 + random.int(3));
    const bytes = Buffer.from(key);
    if (table.find(bytes) !== (naive.get(key) ?? -1)) t.fail(`find ${key}`);
    if (random.int(3) === 0) continue;
    if (random.int(5000) === 0) table.reserve(random.int(50_000));
    if (!naive.has(key)) naive.set(key, naive.size);
    if (table.add(bytes) !== naive.get(key)) t.fail(`add ${key}`);
  }
  t.equal(table.count, naive.size);
  t.same(
    [...naive.keys()].filter((key, number) => Buffer.from(table.keys.get(number)).toString() !== key),
    [],
  );
});

t.test('keys are added in blocks up to the first that is known', async (t) => {
  t.comment(`seed ${seed}`);
  const random = seededRandom(seed);
  const table = new KeyTable();
  const naive = new Map<string, number>();
  const list = new KeyList();
  const keys = Array.from({ length: 20_000 }, (_, index) => (random.int(500) ? `key-${index}` : `key-${random.int(index + 1)}`));
  for (const key of keys) list.push(Buffer.from(key));
  for (let from = 0; from < keys.length; ) {
    const added = table.addNew(list, from);
    const block = keys.slice(from, from + added);
    if (block.some((key) => naive.has(key)) || new Set(block).size < added) t.fail(`known keys after ${from} were added`);
    for (const key of block) naive.set(key, naive.size);
    from += added;
    if (added === 0 && !naive.has(keys[from] as string)) t.fail(`key ${from} is not known`);
    if (added === 0) from++;
  }
  t.equal(table.count, naive.size);
  t.ok([...naive].every(([key, number]) => table.find(Buffer.from(key)) === number));
});

interface Naive {
  stored: boolean;
  alive: boolean;
  onStored: boolean;
  sources: Source[];
  vectorSources: Source[];
  vectorsOnStored: boolean;
}

const GONE = { alive: false, onStored: false, vectorsOnStored: false };

/** An index whose documents have these keys, in this order. */
const indexOf = (keys: string[]) =>
  ({
    find: (key: Uint8Array) => {
      const local = keys.indexOf(Buffer.from(key).toString());
      return local < 0 ? null : { segment: local % 2, local, internalId: 100 - local };
    },
  }) as unknown as StoredDocuments;

t.test('the final versions of documents agree with a Map', async (t) => {
  t.comment(`seed ${seed}`);
  const random = seededRandom(seed);
  for (let round = 0; round < 200; round++) {
    const stored = ['a', 'b', 'c'];
    const pending = new PendingDocuments(random.int(3) ? indexOf(stored) : null);
    const naive = new Map<string, Naive>();
    const keys = new KeyList();
    const touch = (key: string) => {
      if (!naive.has(key) && pending.stored && stored.includes(key))
        naive.set(key, { stored: true, alive: true, onStored: true, sources: [], vectorSources: [], vectorsOnStored: true });
      return naive.get(key);
    };
    for (let step = 0; step < 30; step++) {
      const key = random.pick(['a', 'b', 'c', 'd', 'e', 'ab']);
      keys.push(Buffer.from(key));
      const known = touch(key);
      if (random.int(3) === 0) {
        const deleted = pending.delete(Buffer.from(key));
        if (deleted !== (known?.alive ?? false)) t.fail('delete says whether there was one');
        if (known) Object.assign(known, { ...GONE, sources: [], vectorSources: [] });
        continue;
      }
      const source = { payload: random.int(3), index: step };
      const [method, skip] = [random.pick(['replace', 'update'] as const), random.int(3) === 0];
      if (random.int(4) === 0) pending.reserve(random.int(3000));
      const place = pending.add(keys, step, source.payload, method, skip);
      const repeats = known?.alive && known.vectorSources.at(-1)?.payload === source.payload;
      t.equal(place, repeats ? 'further' : skip && !known?.alive ? 'skipped' : 'first', 'what a source is to its payload');
      if (known?.alive) {
        if (method === 'replace') Object.assign(known, { onStored: false, sources: [source] });
        else known.sources.push(source);
        known.vectorSources.push(source);
      } else if (!skip) {
        const [sources, vectorSources] = [[source], [source]];
        naive.set(key, { ...GONE, stored: known?.stored ?? false, alive: true, sources, vectorSources });
      }
    }
    const found = Array.from({ length: pending.count }, (_, place) => pending.get(place));
    t.same(
      found.map(({ key, stored: location, ...rest }) => [
        Buffer.from(key).toString(),
        { stored: location !== null, ...rest },
        location?.local ?? -1,
      ]),
      [...naive].map(([key, document]) => [key, document, document.stored ? stored.indexOf(key) : -1]),
    );
  }
});

t.test('adding new documents together gives the same result as one by one', async (t) => {
  t.comment(`seed ${seed}`);
  const random = seededRandom(seed);
  for (let round = 0; round < 200; round++) {
    const stored = random.int(3) ? indexOf(['a', 'b', 'c']) : null;
    const [together, single] = [new PendingDocuments(stored), new PendingDocuments(stored)];
    for (let payload = 0; payload < 3; payload++) {
      const keys = new KeyList();
      for (let i = random.int(12); i >= 0; i--) keys.push(Buffer.from(random.pick(['a', 'b', 'c', 'd', `x${random.int(20)}`])));
      const method = random.pick(['replace', 'update'] as const);
      const one = (pending: PendingDocuments, index: number) => pending.add(keys, index, payload, method, false);
      const all = Array.from({ length: keys.count }, (_, index) => one(single, index));
      for (let index = 0; index < keys.count; index++) {
        const added = together.addNew(keys, index, payload);
        for (const end = index + added; index < end; index++) t.equal(all[index], 'first');
        if (index < keys.count) t.equal(one(together, index), all[index]);
      }
      const gone = Buffer.from(random.pick(['a', 'd', 'x1']));
      t.equal(together.delete(gone), single.delete(gone));
    }
    const found = (pending: PendingDocuments) => Array.from({ length: pending.count }, (_, place) => pending.get(place));
    t.same(found(together), found(single));
  }
});

t.test('documents to be built are ordered by id', async (t) => {
  const random = seededRandom(seed);
  for (const ids of [[], [1, 2, 3], [5, 1, 3], Array.from({ length: 500 }, () => random.int(1 << 30))]) {
    const fresh = new FreshDocuments();
    for (const [place, id] of ids.entries()) fresh.push(id, place);
    const wanted = [...ids.entries()].sort(([, a], [, b]) => a - b).map(([place, id], index) => [index, [id, place]]);
    t.same([...fresh.inOrder()], wanted);
  }
});
