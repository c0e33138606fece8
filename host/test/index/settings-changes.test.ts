import fs from 'node:fs';
import path from 'node:path';
import t from 'tap';
import * as engineExports from '../../../bindings/engine/exports.js';
import { sectionsOfFile } from '../../index/build/segments/segment-sections.js';
import { SECTIONS } from '../../index/section-kinds.js';
import { changedParts, DEFAULT_SETTINGS, type Part } from '../../index/settings/settings.js';
import { startServer, type TestServer } from '../server.js';
import { TestDatabase } from '../support/test-database.js';

const KINDS = ['novel', 'poem', 'essay'];
const book = (id: number) => ({
  id,
  title: `The ${['red', 'green', 'blue'][id % 3]} book of C++ and cats ${id}`,
  text: `A ${KINDS[id % 3]} with ${id * 7} pages, seen in ${2000 + (id % 9)}. AT&T gave it ${id % 4} stars`,
  kind: KINDS[id % 3],
  pages: id * 7,
  maker: { name: `press ${id % 5}`, since: 1900 + (id % 50) },
  _geo: { lat: id % 80, lng: `${id % 60}` },
});

/** The same writes for each index: several segments, with documents that were replaced and deleted. */
async function fill(server: TestServer, uid: string): Promise<void> {
  const books = (from: number, to: number) => Array.from({ length: to - from }, (_, k) => book(from + k));
  await server.task('POST', `/indexes/${uid}/documents?primaryKey=id`, books(1, 200));
  await server.task('POST', `/indexes/${uid}/documents`, [
    ...books(200, 240),
    { ...book(3), title: 'Another red cat', kind: 'poem' },
  ]);
  await server.task('POST', `/indexes/${uid}/documents/delete-batch`, [5, 6, 210]);
}

/** A setting, its new value, and the parts of segments that are rebuilt for it. */
const CHANGES: [Record<string, unknown>, Part[]][] = [
  [{ filterableAttributes: ['kind'] }, ['columns']],
  [{ sortableAttributes: ['kind'] }, []],
  [{ sortableAttributes: ['pages', 'kind'] }, ['columns']],
  [{ synonyms: { cat: ['dog'] }, displayedAttributes: ['id', 'title'] }, []],
  [{ rankingRules: ['words', 'typo', 'exactness'] }, []],
  [{ rankingRules: ['words', 'maker.since:desc', 'typo'] }, ['columns']],
  [{ stopWords: ['the', 'of'] }, ['words']],
  [{ filterableAttributes: ['kind', '_geo', 'maker'], separatorTokens: ['+'] }, ['words', 'columns']],
  [{ typoTolerance: { minWordSizeForTypos: { oneTypo: 4 } } }, []],
  [{ typoTolerance: { disableOnNumbers: true } }, ['words']],
  [{ searchableAttributes: ['text', 'title'] }, ['words']],
  [{ searchableAttributes: ['title', 'text'] }, []],
  [{ distinctAttribute: 'kind' }, []],
  [{ distinctAttribute: null, filterableAttributes: ['kind'] }, ['columns']],
  [{ filterableAttributes: [{ attributePatterns: ['ma*', 'kind'] }] }, ['columns']],
  [{ localizedAttributes: [{ attributePatterns: ['title'], locales: ['eng'] }] }, ['words']],
  [{ dictionary: ['C++'], nonSeparatorTokens: ['&'] }, ['words']],
  [{ prefixSearch: 'disabled', proximityPrecision: 'byAttribute', pagination: { maxTotalHits: 50 } }, []],
];

const SEARCHES = [
  { q: 'red' },
  { q: 'c++ cat' },
  { q: 'the of' },
  { q: 'bok 14' },
  { q: 'at&t' },
  { q: '', filter: 'kind = poem', sort: ['pages:desc'] },
  { q: 'book', sort: ['pages:asc'], facets: ['*'] },
  { q: 'book', filter: '_geoRadius(10, 10, 900000)' },
  { q: 'press', filter: 'maker.name = "press 2" AND maker.since > 1910', facets: ['maker.name', 'kind'] },
];

t.test(
  'after each change an index answers as one that had the settings from the beginning, and only what changed is built',
  async (t) => {
    const server = await startServer();
    t.teardown(() => server.close());
    const rebuilds = async (): Promise<Record<Part, number>> =>
      (await server.call('GET', '/indexes/old/stats?showSegments=true')).body.segments.rebuilds;
    const answers = async (uid: string) => {
      const all = [];
      for (const search of SEARCHES) {
        const body = { ...search, showRankingScoreDetails: true, showMatchesPosition: true, limit: 40 };
        const answer = await server.call('POST', `/indexes/${uid}/search`, body);
        const { processingTimeMs: _, requestUid: __, ...rest } = answer.body;
        all.push([answer.status, answer.status === 200 ? rest : rest.code]);
      }
      return all;
    };
    await fill(server, 'old');
    let before = await rebuilds();
    for (const [number, [change, parts]] of CHANGES.entries()) {
      const name = JSON.stringify(change);
      await server.task('PATCH', '/indexes/old/settings', change);
      const after = await rebuilds();
      const built = (Object.keys(after) as Part[]).filter((part) => after[part] > before[part]);
      t.same(built.sort(), [...parts].sort(), `built for ${name}`);
      before = after;
      const uid = `fresh${number}`;
      const settings = (await server.call('GET', '/indexes/old/settings')).body;
      await server.task('PATCH', `/indexes/${uid}/settings`, settings);
      await fill(server, uid);
      t.same(await answers('old'), await answers(uid), name);
      await server.task('DELETE', `/indexes/${uid}`);
    }
    const { numberOfDocuments } = (await server.call('GET', '/indexes/old/stats')).body;
    t.equal(numberOfDocuments, 236);
  },
);

t.test('settings are refused when documents do not fit a new column, and nothing changes', async (t) => {
  const server = await startServer();
  t.teardown(() => server.close());
  await server.task('POST', '/indexes/a/documents', [{ id: 1, _geo: 'nowhere' }]);
  const { taskUid } = (await server.call('PATCH', '/indexes/a/settings', { filterableAttributes: ['_geo'] })).body;
  t.match(await server.finished(taskUid), { status: 'failed', error: { code: 'invalid_document_geo_field' } });
  t.same((await server.call('GET', '/indexes/a/settings/filterable-attributes')).body, []);
  const { segments } = (await server.call('GET', '/indexes/a/stats?showSegments=true')).body;
  t.same(segments.rebuilds, { words: 0, columns: 0, vectors: 0 });
});

t.test('a revised segment equals a rebuilt one, also after a restart', async (t) => {
  const test = await TestDatabase.open(t);
  const wanted = {
    ...DEFAULT_SETTINGS,
    filterableAttributes: ['kind', '_geo'],
    sortableAttributes: ['pages'],
    stopWords: ['the'],
  };
  /** The sections of the newest segment; equal checksums mean equal bytes. */
  const contents = () => {
    const fd = fs.openSync(path.join(test.folder, 'segments', test.segmentFiles.at(-1)!), 'r');
    const { header, sections } = sectionsOfFile(fd);
    fs.closeSync(fd);
    const { docCount, termCount, rawBytes } = header;
    return [
      docCount,
      termCount,
      rawBytes,
      ...sections.map(({ kind, field, length, checksum }) => [kind, field, length, checksum]),
    ];
  };
  const documents = Array.from({ length: 300 }, (_, id) => book(id));
  await test.create('late', 'id');
  await test.apply('late', await test.add(documents));
  await test.commit(await test.indexStore.settings.change('late', wanted, test.now()));
  const revised = contents();
  await test.reopen();
  t.equal((await test.search('late', { q: 'red', filter: 'kind = novel' })).hits.length > 0, true);
  await test.create('early', 'id');
  await test.commit(await test.indexStore.settings.change('early', wanted, test.now()));
  await test.apply('early', await test.add(documents));
  t.same(revised, contents());
});

t.test('every kind of section belongs to a known part', async (t) => {
  for (const [name, kind] of Object.entries(engineExports)) {
    if (name.startsWith('SECTION_')) t.ok(SECTIONS.has(kind as number), name);
  }
});

t.test('the parts of segments that each setting affects', async (t) => {
  const changed = (change: object) => [...changedParts(DEFAULT_SETTINGS, { ...DEFAULT_SETTINGS, ...change })];
  t.same(changed({ stopWords: ['a'] }), ['words']);
  t.same(changed({ sortableAttributes: ['a'] }), ['columns']);
  t.same(changed({ rankingRules: ['words', 'a:asc'] }), ['columns']);
  t.same(changed({ synonyms: { a: ['b'] }, searchCutoffMs: 5 }), []);
  t.same(changed({ embedders: { e: { source: 'userProvided', dimensions: 3, id: 0 } } }), ['vectors']);
});
