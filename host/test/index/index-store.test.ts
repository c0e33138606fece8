import fs from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import t from 'tap';
import { seededRandom } from '../../../bindings/test/random.js';
import type { Draft } from '../../index/draft.js';
import { DEFAULT_SETTINGS } from '../../index/settings/settings.js';
import { TestDatabase } from '../support/test-database.js';
import { until } from '../support/until.js';

const WORDS = ['amber', 'birch', 'cedar', 'delta', 'ember', 'fjord', 'grove', 'heath'];

function texts(seed: number, count: number, words: number): { id: number; text: string }[] {
  const random = seededRandom(seed);
  const sentence = () => Array.from({ length: words }, () => `${random.pick(WORDS)}${random.int(50)}`).join(' ');
  return Array.from({ length: count }, (_, id) => ({ id, text: sentence() }));
}

t.test('an index that spans several memories answers like one in a single memory', async (t) => {
  const documents = texts(11, 6000, 20);
  const databases = [await TestDatabase.open(t, { memoryLimit: 300 << 10 }), await TestDatabase.open(t)];
  for (const test of databases) {
    await test.create('a', 'id');
    const settings = { ...DEFAULT_SETTINGS, filterableAttributes: ['id'], sortableAttributes: ['id'] };
    await test.commit(await test.indexStore.settings.change('a', settings, test.now()));
    for (let from = 0; from < documents.length; from += 1000) {
      await test.apply('a', await test.add(documents.slice(from, from + 1000)));
    }
    await test.apply('a', { type: 'deleteByIds', ids: ['5', '1500', '2999', '5999'] });
  }
  const [split, whole] = databases as [TestDatabase, TestDatabase];
  t.ok(split.indexStore.memories >= 3, `${split.indexStore.memories} memories`);
  t.equal(whole.indexStore.memories, 1);
  t.same(await split.documents('a'), await whole.documents('a'));
  for (const request of [
    { q: 'amber1 birch2', limit: 50, showRankingScore: true },
    { q: 'fjrod7', limit: 50 },
    { q: 'ced', filter: 'id > 3000', sort: ['id:desc'], limit: 30 },
    { q: '', filter: 'id 100 TO 140', facets: ['id'] },
  ]) {
    const [a, b] = await Promise.all(databases.map((test) => test.search('a', request)));
    t.same(a?.hits, b?.hits, request.q);
    t.equal(a?.estimatedTotalHits, b?.estimatedTotalHits);
    t.ok((b?.hits.length ?? 0) > 0);
  }
});

t.test('old segments are freed when no reader uses their version', async (t) => {
  const test = await TestDatabase.open(t);
  await test.create('a', 'id');
  for (let round = 0; round < 6; round++) await test.apply('a', await test.add(texts(round, 300, 10)));
  await until('segments without a live document go', () => test.segmentFiles.length === 1);
  const used = test.indexStore.memoryUsed;
  const release = test.indexStore.pin();
  await test.apply('a', await test.add(texts(99, 300, 10)));
  await delay(150);
  t.equal(test.segmentFiles.length, 2, 'a reader of the old version keeps its segment');
  t.ok(test.indexStore.memoryUsed > used * 1.5);
  release();
  await until('the segment of the old version goes', () => test.segmentFiles.length === 1);
  t.ok(test.indexStore.memoryUsed < used * 1.5);
  await test.commit(test.indexStore.deleteIndex('a'));
  await until('the segments of the index go', () => test.segmentFiles.length === 0);
  t.equal(test.indexStore.memoryUsed, 0);
});

t.test('every answer comes from one committed state, whatever is committed meanwhile', async (t) => {
  const test = await TestDatabase.open(t, { searchThreads: 2 });
  await test.create('a', 'id');
  const version = (round: number) => Array.from({ length: 200 }, (_, id) => ({ id, round, text: `fig${round} plum` }));
  await test.apply('a', await test.add(version(0)));
  let writing = true;
  let answers = 0;
  const seen = new Set<unknown>();
  const read = async () => {
    while (writing) {
      const [documents, found] = await Promise.all([test.documents('a'), test.search('a', { q: 'plum', limit: 200 })]);
      for (const list of [documents, found.hits]) {
        const rounds = new Set(list.map(({ round }) => round));
        if (list.length !== 200 || rounds.size !== 1) t.fail(`${list.length} documents of rounds ${[...rounds]}`);
        for (const round of rounds) seen.add(round);
      }
      answers++;
    }
  };
  const readers = [read(), read(), read(), read()];
  for (let round = 1; round <= 15; round++) {
    await test.apply('a', await test.add(version(round)));
    if (round % 5 === 0) await test.commit(await test.indexStore.merges.compact('a'));
  }
  writing = false;
  await Promise.all(readers);
  t.ok(answers > 20 && seen.size > 5, `${answers} answers saw ${seen.size} states`);
  t.same(test.faults, []);
});

t.test('deletions and replacements while a merge runs hold for its result', async (t) => {
  const test = await TestDatabase.open(t);
  await test.create('a', 'id');
  const documents = texts(3, 400, 8);
  for (let from = 0; from < 400; from += 100) await test.apply('a', await test.add(documents.slice(from, from + 100)));
  const merging = test.indexStore.merges.mergeIfWorthwhile('a');
  await test.apply('a', { type: 'deleteByIds', ids: ['7', '150', '399'] }, await test.add([{ id: 42, text: 'new' }]));
  const late = await test.indexStore.documents.apply('a', [{ type: 'deleteByIds', ids: ['200'] }], test.now());
  await test.commit(await merging);
  t.equal(test.indexStore.indexes.get('a')?.segments.length, 2, 'the merged one, and the one that came meanwhile');
  await test.commit(late.draft);
  const expected = documents
    .filter(({ id }) => ![7, 150, 200, 399].includes(id))
    .map((document) => (document.id === 42 ? { id: 42, text: 'new' } : document));
  t.same(await test.documents('a'), expected);
  await test.reopen();
  t.same(await test.documents('a'), expected, 'also after a restart');
});

t.test('a merge whose sources are gone changes nothing', async (t) => {
  const test = await TestDatabase.open(t);
  await test.create('a', 'id');
  for (let round = 0; round < 4; round++) await test.apply('a', await test.add([{ id: round }]));
  const merge = (await test.indexStore.merges.mergeIfWorthwhile('a')) as Draft;
  await test.commit(test.indexStore.clearDocuments('a', test.now()));
  await test.commit(merge);
  t.same(await test.documents('a'), []);
  t.same(test.indexStore.indexes.get('a')?.segments, []);
  await until('the merged segment goes', () => test.segmentFiles.length === 0);
});

t.test('indexes are created, renamed, swapped and deleted', async (t) => {
  const test = await TestDatabase.open(t);
  await test.create('a', 'id');
  await test.create('b');
  await test.apply('a', await test.add([{ id: 1, name: 'fig' }]));
  const creation = test.indexStore.createIndex('a', null, test.now());
  t.throws(() => creation.writes, { code: 'index_already_exists' });
  await test.commit(test.indexStore.swapIndexes([{ indexes: ['a', 'b'], rename: false }]));
  t.same(await test.documents('a'), []);
  t.same(await test.documents('b'), [{ id: 1, name: 'fig' }]);
  t.equal(test.indexStore.indexes.get('b')?.primaryKey, 'id');
  await test.commit(test.indexStore.updateIndex('b', { newUid: 'c' }, test.now()));
  t.same([...test.indexStore.indexes.keys()].sort(), ['a', 'c']);
  await test.reopen();
  t.same(await test.documents('c'), [{ id: 1, name: 'fig' }]);
  t.same((await test.search('c', { q: 'fig' })).hits, [{ id: 1, name: 'fig' }]);
  await test.commit(test.indexStore.deleteIndex('c'));
  await t.rejects(test.documents('c'), /index_not_found/);
  const discarded = test.indexStore.deleteIndex('a');
  discarded.discard();
  t.ok(test.indexStore.indexes.has('a'));
});

t.test('settings that affect segments rebuild them, others apply at once', async (t) => {
  const test = await TestDatabase.open(t);
  await test.create('a', 'id');
  await test.apply(
    'a',
    await test.add([
      { id: 1, name: 'plum', kind: 'fruit', _geo: { lat: 1 } },
      { id: 2, name: 'oak' },
    ]),
  );
  const before = test.indexStore.indexes.get('a')?.segments;
  const ranked = { ...DEFAULT_SETTINGS, synonyms: { tree: ['oak'] }, displayedAttributes: ['name'] };
  await test.commit(await test.indexStore.settings.change('a', ranked, test.now()));
  t.equal(test.indexStore.indexes.get('a')?.segments, before, 'the same segments');
  t.same((await test.search('a', { q: 'tree' })).hits, [{ name: 'oak' }]);
  const filterable = { ...DEFAULT_SETTINGS, filterableAttributes: ['kind'] };
  await test.commit(await test.indexStore.settings.change('a', filterable, test.now()));
  t.not(test.indexStore.indexes.get('a')?.segments, before);
  t.same((await test.search('a', { filter: 'kind = FRUIT' })).hits.length, 1);
  const geo = { ...DEFAULT_SETTINGS, sortableAttributes: ['_geo'] };
  await t.rejects(test.indexStore.settings.change('a', geo, test.now()), {
    code: 'invalid_document_geo_field',
    message: /`1`.*`lng`/,
  });
  t.same((await test.search('a', { filter: 'kind = fruit' })).hits.length, 1, 'the refused settings changed nothing');
});

t.test('a damaged segment file is detected at the start, and unused files are removed', async (t) => {
  const test = await TestDatabase.open(t);
  await test.create('a', 'id');
  await test.apply('a', await test.add(texts(1, 50, 5)));
  fs.writeFileSync(path.join(test.folder, 'segments', '77.seg'), 'left over by a crash');
  await test.reopen();
  t.same(test.segmentFiles, ['1.seg']);
  await test.apply('a', await test.add([{ id: 1000 }]));
  t.same(test.segmentFiles, ['1.seg', '78.seg'], 'ids are not used twice');
  const file = path.join(test.folder, 'segments', '1.seg');
  const bytes = fs.readFileSync(file);
  bytes[200] = (bytes[200] as number) ^ 1;
  fs.writeFileSync(file, bytes);
  await test.reopen();
  t.match([...test.indexStore.damaged], [['a', /1\.seg is damaged/]]);
});

t.test('a canceled job leaves no files and no memory', async (t) => {
  const test = await TestDatabase.open(t);
  await test.create('a', 'id');
  const operation = await test.add(texts(5, 30_000, 30));
  const stop = new Error('called off');
  const job = test.indexStore.documents.apply('a', [operation], test.now(), {
    progress: () => {
      throw stop;
    },
  });
  await t.rejects(job, stop);
  t.same(await test.apply('a', await test.add([{ id: 1 }])), [1]);
  t.same(await test.documents('a'), [{ id: 1 }]);
});
