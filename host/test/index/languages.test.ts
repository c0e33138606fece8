import fs from 'node:fs';
import path from 'node:path';
import t from 'tap';
import type { WordList } from '../../../bindings/engine/word-list-bits.js';
import type { IndexSettings } from '../../../bindings/index-types.js';
import { DEFAULT_SETTINGS } from '../../index/settings/settings.js';
import { startServer } from '../server.js';
import { age } from '../support/age.js';
import { TestDatabase } from '../support/test-database.js';
import { until } from '../support/until.js';

interface LanguageCase {
  language: string;
  texts: string[];
  settings?: Partial<IndexSettings>;
  /** Query -> the highlighted parts of the matching texts, best first. */
  queries: Record<string, string[]>;
  lists: WordList[];
}

const localized = (...locales: string[]) => ({ localizedAttributes: [{ attributePatterns: ['*'], locales }] });

const CASES: LanguageCase[] = [
  {
    language: 'English and others with spaces',
    texts: ['Crème brûlée “for two” – 5 €', 'Привет, мир', 'البيت الكبير'],
    queries: { creme: ['<em>Crème</em> brûlée “for two” – 5 €'], мир: ['Привет, <em>мир</em>'], بيت: ['ال<em>بيت</em> الكبير'] },
    lists: [],
  },
  {
    language: 'Japanese',
    texts: ['進撃の巨人', 'ラーメン', '関西国際空港'],
    settings: localized('jpn'),
    queries: { 巨人: ['進撃の<em>巨人</em>'], らあめん: ['<em>ラーメン</em>'], 空港: ['関西国際<em>空港</em>'] },
    lists: ['japanese'],
  },
  {
    language: 'Japanese by its letters',
    texts: ['関西国際空港のレストラン', '空港'],
    queries: { 空港の: ['関西国際<em>空港</em><em>の</em>レストラン', '<em>空港</em>'] },
    lists: ['chinese', 'japanese'],
  },
  {
    language: 'Korean',
    texts: ['서울 2024년', '대한민국의'],
    queries: { 년: ['서울 2024<em>년</em>'], 대한: ['<em>대한</em>민국의'], 대한민국: ['<em>대한민국</em>의'] },
    lists: ['korean'],
  },
  {
    language: 'Thai',
    texts: ['นักเรียนไปโรงเรียน', 'อากาศดีมาก'],
    queries: { โรงเรียน: ['นักเรียนไป<em>โรงเรียน</em>'], '"อากาศ ดีมาก"': ['<em>อากาศดีมาก</em>'] },
    lists: ['thai'],
  },
  {
    language: 'Khmer',
    texts: ['សាលារៀនខ្មែរ។'],
    queries: { ខ្មែរ: ['សាលារៀន<em>ខ្មែរ</em>។'] },
    lists: ['khmer'],
  },
  {
    language: 'Chinese',
    texts: ['我们在图书馆学习', '學習'],
    queries: { 学习: ['<em>學習</em>', '我们在图书馆<em>学习</em>'], 图书馆: ['我们在<em>图书</em><em>馆</em>学习'] },
    lists: ['chinese'],
  },
  {
    language: 'German',
    texts: ['Donaudampfschiff', 'Wissensorganisation'],
    settings: localized('deu'),
    queries: { dampf: ['Donau<em>dampf</em>schiff'], organisation: ['Wissens<em>organisation</em>'] },
    lists: ['german'],
  },
];

const textsOf = (texts: string[]) => texts.map((text, id) => ({ id, t: text }));
const shown = (answer: { hits: Record<string, unknown>[] }) =>
  answer.hits.map(({ _formatted }) => (_formatted as { t: string }).t);

for (const { language, texts, settings, queries, lists } of CASES) {
  t.test(language, async (t) => {
    const test = await TestDatabase.open(t);
    await test.create('a', 'id');
    await test.commit(await test.indexStore.settings.change('a', { ...DEFAULT_SETTINGS, ...settings }, test.now()));
    await test.apply('a', await test.add(textsOf(texts)));
    t.same(test.indexStore.wordLists, [], 'nothing was searched yet');
    for (const [q, expected] of Object.entries(queries)) {
      t.same(shown(await test.search('a', { q, attributesToHighlight: ['t'] })).sort(), [...expected].sort(), q);
    }
    t.same(test.indexStore.wordLists, lists);
    // Merged documents are tokenized again.
    await test.apply('a', { type: 'deleteByIds', ids: ['99'] }, await test.add([{ id: 'x', t: 'other' }]));
    await test.commit(await test.indexStore.merges.compact('a'));
    for (const [q, expected] of Object.entries(queries)) {
      t.same(shown(await test.search('a', { q, attributesToHighlight: ['t'] })).sort(), [...expected].sort(), `${q}, merged`);
    }
    t.same(test.faults, []);
  });
}

t.test('a word list needed only by the query is loaded', async (t) => {
  const test = await TestDatabase.open(t, { searchThreads: 2 });
  await test.create('a', 'id');
  const synonyms = { 图书馆: ['library'], library: ['图书馆'] };
  await test.commit(await test.indexStore.settings.change('a', { ...DEFAULT_SETTINGS, synonyms }, test.now()));
  await test.apply('a', await test.add(textsOf(['the library', 'Kinderbuch'])));
  const search = (q: string, more: object = {}) => test.search('a', { q, attributesToHighlight: ['t'], ...more });
  const answers = await Promise.all(Array.from({ length: 8 }, () => search('图书馆')));
  for (const answer of answers) t.same(shown(answer), ['the <em>library</em>'], 'synonyms are cut too');
  t.same(test.indexStore.wordLists, ['chinese']);
  t.same(
    shown(await search('Kinderbuch', { locales: ['deu'] })),
    ['Kinderbuch'],
    'found joined, cut otherwise where it is shown',
  );
  t.same(test.indexStore.wordLists, ['german', 'chinese']);
  t.same(shown(await search('Kinderbuch')), ['<em>Kinderbuch</em>']);
  t.same(test.faults, []);
});

t.test('every shared memory has its own copy of a word list', async (t) => {
  const test = await TestDatabase.open(t, { memoryLimit: 1 });
  for (const uid of ['a', 'b']) {
    await test.create(uid, 'id');
    await test.apply(uid, await test.add(textsOf(['นักเรียนไปโรงเรียน'])));
  }
  t.equal(test.indexStore.memories, 2);
  for (const uid of ['a', 'b', 'a']) t.equal((await test.search(uid, { q: 'โรงเรียน' })).hits.length, 1);
  t.same(test.faults, []);
});

t.test('segments of another version of the tokenizer are rebuilt', async (t) => {
  const test = await TestDatabase.open(t);
  for (const uid of ['old', 'new']) {
    await test.create(uid, 'id');
    await test.apply(uid, await test.add(textsOf(['图书馆', 'tea'])));
    await test.apply(uid, await test.add([{ id: 7, t: 'coffee' }]));
  }
  const [first] = test.segmentFiles;
  age(path.join(test.folder, 'segments', first as string));
  await test.reopen();
  t.same(test.indexStore.merges.outdatedIndexes, ['old']);
  t.equal(await test.indexStore.merges.mergeIfWorthwhile('new'), null);
  await test.commit(await test.indexStore.merges.mergeIfWorthwhile('old'));
  t.same(test.indexStore.merges.outdatedIndexes, []);
  t.equal(await test.indexStore.merges.mergeIfWorthwhile('old'), null, 'the other segment stays');
  const { segments } = test.indexStore.indexes.get('old') as { segments: { docCount: number }[] };
  t.same(segments.map(({ docCount }) => docCount).sort(), [1, 2]);
  t.equal((await test.search('old', { q: '图书' })).hits.length, 1);
  await test.reopen();
  t.same(test.indexStore.merges.outdatedIndexes, []);
});

t.test('a server finds Japanese words in compounds, and Korean ones without their particles', async (t) => {
  const server = await startServer();
  t.teardown(() => server.close());
  const texts = ['関西国際空港で食べたお寿司', '성능이 대한민국에서 가장 좋은 검색엔진을', 'Kansai'];
  await server.task('POST', '/indexes/a/documents', textsOf(texts));
  const found = async (q: string, more: object = {}) => {
    const answer = await server.call('POST', '/indexes/a/search', { q, attributesToHighlight: ['t'], ...more });
    return shown(answer.body);
  };
  const japanese = { locales: ['jpn'] };
  t.same(await found('空港', japanese), ['関西国際<em>空港</em>で食べたお寿司']);
  t.same(
    await found('空港'),
    ['関西国際<em>空港</em>で食べたお寿司'],
    'without a locale, too: this word is a Chinese one as well',
  );
  t.same(await found('寿司', japanese), ['関西国際空港で食べたお<em>寿司</em>']);
  t.same(await found('際空', japanese), []);
  t.same(await found('검색엔진'), ['성능이 대한민국에서 가장 좋은 <em>검색</em><em>엔진</em>을']);
  t.same(await found('엔진'), ['성능이 대한민국에서 가장 좋은 검색<em>엔진</em>을']);
});

t.test('a server rebuilds outdated segments when it starts', async (t) => {
  const server = await startServer();
  t.teardown(() => server.close());
  await server.task('POST', '/indexes/a/documents', textsOf(['图书馆']));
  const files = () => fs.readdirSync(path.join(server.folder, 'segments'));
  const [file] = files();
  await server.restart();
  t.same(files(), [file], 'nothing is outdated');
  age(path.join(server.folder, 'segments', file as string));
  await server.restart();
  await until('the old segment goes', () => !files().includes(file as string));
  const answer = await server.call('POST', '/indexes/a/search', { q: '图书', attributesToHighlight: ['t'] });
  t.same(shown(answer.body), ['<em>图书</em>馆']);
});
