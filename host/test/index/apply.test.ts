import t, { type Test } from 'tap';
import { type SeededRandom, seededRandom } from '../../../bindings/test/random.js';
import type { DocumentOperation } from '../../index/document-operations.js';
import { DEFAULT_SETTINGS } from '../../index/settings/settings.js';
import { TestDatabase } from '../support/test-database.js';

type Document = Record<string, unknown>;

/** A naive implementation of the documented semantics: a map of documents and a list of internal ids. */
class NaiveIndex {
  readonly documents = new Map<string, { internalId: number; document: Document }>();

  apply(operations: { operation: DocumentOperation; payload: Document[] }[]): number[] {
    const taken = new Map<string, number>([...this.documents].map(([key, { internalId }]) => [key, internalId]));
    const used = new Set(taken.values());
    const adds = operations.some(({ operation }) => operation.type === 'add');
    const present = new Map<string, Document>([...this.documents].map(([key, { document }]) => [key, document]));
    const appeared: string[] = [];
    const results = operations.map(({ operation, payload }) => {
      if (operation.type === 'deleteByIds') {
        let count = 0;
        for (const id of operation.ids) if (present.delete(id)) count++;
        return adds ? new Set(operation.ids).size : count;
      }
      if (operation.type === 'deleteByFilter') {
        const doomed = [...present].filter(([, document]) => document.kind === String(operation.filter).split('= ')[1]);
        for (const [key] of doomed) present.delete(key);
        return doomed.length;
      }
      for (const document of payload) {
        const key = String(document.id);
        const old = present.get(key);
        if (!old && operation.skipCreation) continue;
        if (!appeared.includes(key)) appeared.push(key);
        present.set(key, old && operation.method === 'update' ? { ...old, ...document } : document);
      }
      return new Set(payload.map(({ id }) => String(id))).size;
    });
    for (const key of appeared) {
      if (taken.has(key) || !present.has(key)) continue;
      let internalId = 0;
      while (used.has(internalId)) internalId++;
      used.add(internalId);
      taken.set(key, internalId);
    }
    this.documents.clear();
    for (const [key, document] of present) this.documents.set(key, { internalId: taken.get(key) as number, document });
    return results;
  }

  inOrder(): Document[] {
    return [...this.documents.values()].sort((a, b) => a.internalId - b.internalId).map(({ document }) => document);
  }
}

const KINDS = ['red', 'green', 'blue'];

function randomDocument(random: SeededRandom): Document {
  const id = random.int(60);
  const document: Document = { id: random.int(2) ? id : String(id), kind: random.pick(KINDS) };
  if (random.int(2)) document.name = `${random.pick(['fig', 'plum', 'pear'])} ${random.int(1000)}`;
  if (random.int(3) === 0) document.nested = { a: random.int(9), list: [null, { b: random.int(9) }] };
  if (random.int(5) === 0) document.kind = null;
  return document;
}

async function randomOperation(random: SeededRandom, test: TestDatabase, filters: boolean) {
  const choice = random.int(10);
  if (choice === 0 && filters) {
    return { operation: { type: 'deleteByFilter', filter: `kind = ${random.pick(KINDS)}` } as const, payload: [] };
  }
  if (choice <= 2) {
    const ids = Array.from({ length: 1 + random.int(12) }, () => String(random.int(70)));
    return { operation: { type: 'deleteByIds', ids } as const, payload: [] };
  }
  const payload = Array.from({ length: random.int(15) }, () => randomDocument(random));
  const method = random.pick(['replace', 'update'] as const);
  return { operation: await test.add(payload, { method, skipCreation: random.int(4) === 0 }), payload };
}

function distribution(documents: Document[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const document of documents) for (const name of Object.keys(document)) counts[name] = (counts[name] ?? 0) + 1;
  return counts;
}

async function compare(t: Test, test: TestDatabase, naive: NaiveIndex, what: string): Promise<void> {
  const expected = naive.inOrder();
  t.same(await test.documents('a'), expected, what);
  const { stats } = test.indexStore.indexes.get('a') as { stats: { documents: number; fieldDistribution: object } };
  t.equal(stats.documents, expected.length);
  t.same(stats.fieldDistribution, distribution(expected));
  const red = expected.filter(({ kind }) => kind === 'red').map(({ id }) => id);
  t.same(
    (await test.documents('a', [['filter', 'kind = red']])).map(({ id }) => id),
    red,
    'a filter sees the same documents',
  );
}

for (const seed of [1, 2, 3]) {
  t.test(`random batches equal a map of documents, seed ${seed}`, async (t) => {
    const random = seededRandom(seed);
    const test = await TestDatabase.open(t);
    const naive = new NaiveIndex();
    await test.create('a', 'id');
    await test.commit(
      await test.indexStore.settings.change('a', { ...DEFAULT_SETTINGS, filterableAttributes: ['kind'] }, test.now()),
    );
    for (let batch = 0; batch < 14; batch++) {
      // In a batch with a filter only deletions precede it.
      const operations = [];
      let adds = false;
      for (let left = 1 + random.int(4); left > 0; left--) {
        const next = await randomOperation(random, test, !adds);
        adds ||= next.operation.type === 'add';
        operations.push(next);
      }
      const expected = naive.apply(operations);
      t.same(await test.apply('a', ...operations.map(({ operation }) => operation)), expected, `counts of batch ${batch}`);
      if (random.int(3) === 0) await test.commit(await test.indexStore.merges.mergeIfWorthwhile('a'));
      if (random.int(6) === 0) await test.reopen();
      await compare(t, test, naive, `documents after batch ${batch}`);
    }
    await test.commit(await test.indexStore.merges.compact('a'));
    await compare(t, test, naive, 'documents after a compaction');
    t.equal(test.segmentFiles.length, 1, 'one segment is left');
    t.same(test.faults, []);
  });
}

t.test('versions of a document that are far apart in one payload are merged', async (t) => {
  const test = await TestDatabase.open(t);
  await test.create('a', 'id');
  // more bytes between them than are read at once
  const others = Array.from({ length: 40 }, (_, id) => ({ id, filler: 'x'.repeat(200_000) }));
  const payload = [{ id: 'far', first: 'kept', second: 'replaced' }, ...others, { id: 'far', second: 'new', third: 3 }];
  t.same(await test.apply('a', await test.add(payload, { method: 'update' })), [41]);
  t.same((await test.documents('a'))[0], { id: 'far', first: 'kept', second: 'new', third: 3 });
});
