import fs from 'node:fs';
import zlib from 'node:zlib';
import t from 'tap';
import { SegmentBuilder } from '../engine/builder.js';
import { builderConfig } from '../engine/builder-config.js';
import { privateInstance } from '../engine/instance.js';
import type { WordList } from '../engine/word-list-bits.js';
import { keepWordList, knownWordLists } from '../engine/word-lists.js';
import type { IndexSettings } from '../index-types.js';
import { LocalIndex, type LocalIndexOptions } from '../local-index.js';
import { plainModule } from './engine.js';
import { SETTINGS } from './hit-case.js';

const module = plainModule();
const encoder = new TextEncoder();
const decoder = new TextDecoder();
const PERSISTENT_BYTES = 64 << 20;

const readList = (list: WordList): Uint8Array => zlib.gunzipSync(fs.readFileSync(`dist/engine/words/${list}.words.gz`));

/** Builds an index of texts and says which lists that took. */
function build(texts: string[], settings: IndexSettings = SETTINGS): { options: LocalIndexOptions; lists: WordList[] } {
  const instance = privateInstance(module, PERSISTENT_BYTES);
  const lists: WordList[] = [];
  const builder = new SegmentBuilder(instance, builderConfig(settings, [], 'id'), (list) => {
    lists.push(list);
    keepWordList(instance, list, readList(list));
  });
  for (const [id, text] of texts.entries()) {
    builder.add(id, encoder.encode(String(id)), encoder.encode(text.startsWith('{') ? text : JSON.stringify({ id, t: text })));
  }
  const { fields } = builder;
  const { pieces } = builder.finishInMemory();
  t.same([...knownWordLists(instance)].sort(), [...lists].sort());
  return { options: { uid: 'i', primaryKey: 'id', settings, fields, segments: [{ file: Buffer.concat(pieces) }] }, lists };
}

const localized = (...locales: string[]): IndexSettings => ({
  ...SETTINGS,
  localizedAttributes: [{ attributePatterns: ['t'], locales }],
});

const highlighted = (answer: Uint8Array): string[] =>
  JSON.parse(decoder.decode(answer)).hits.map(({ _formatted }: { _formatted: { t: string } }) => _formatted.t);
const body = (q: string, more: object = {}) => encoder.encode(JSON.stringify({ q, attributesToHighlight: ['t'], ...more }));

t.test('a builder requests a list once, before the first document that needs it', async (t) => {
  t.same(build(['plain text', 'Crème brûlée', 'Привет, мир', 'مرحبا', 'ＡＢＣ １００', '“quotes” – € …']).lists, []);
  t.same(build(['plain text', 'ภาษาไทย', 'ภาษา']).lists, ['thai']);
  t.same(build(['{"id":0,"t":"\\u0E44\\u0E17\\u0E22"}']).lists, ['thai'], 'escaped letters');
  t.same(build(['ខ្មែរ', '图书馆']).lists, ['khmer', 'chinese']);
  t.same(build(['ラーメン', '서울 100년']).lists, ['japanese', 'korean']);
  t.same(build(['anything'], localized('eng', 'deu')).lists, ['german'], 'by the rules of the settings');
  t.same(build(['空港']).lists, ['chinese'], 'ideographs alone are Chinese');
  t.same(build(['空港'], localized('jpn')).lists, ['chinese', 'japanese'], 'or what the rules say');
});

t.test('without lists texts are not segmented', async (t) => {
  const instance = privateInstance(module);
  const builder = new SegmentBuilder(instance, builderConfig(SETTINGS, [], 'id'));
  builder.add(0, encoder.encode('0'), encoder.encode('{"id":0,"t":"图书馆"}'));
  t.equal(builder.documentCount, 1);
  builder.dispose();
});

t.test('a local index fetches lists when a text needs them', async (t) => {
  const fetched: WordList[] = [];
  const { options } = build(['我们在图书馆学习', 'a library', 'นักเรียนไทย']);
  const index = new LocalIndex(module, {
    ...options,
    settings: { ...SETTINGS, synonyms: { library: ['图书馆'] } },
    fetchWordList: async (list) => {
      fetched.push(list);
      return list === 'thai' ? null : readList(list);
    },
  });
  t.same(highlighted(index.search(body('we read'))), []);
  t.same(fetched, []);
  t.same(highlighted(await index.searchWithLists(body('学习', { limit: 1 }))), ['我们在图书馆<em>学习</em>']);
  t.same(fetched, ['chinese']);
  t.same(highlighted(index.search(body('馆'))), ['我们在图书<em>馆</em>学习'], 'from now on it is there');
  t.same(highlighted(index.search(body('library'))), ['a <em>library</em>', '我们在<em>图书馆</em>学习'], 'for synonyms too');
  t.same(highlighted(await index.searchWithLists(body('ไทย'))), ['นักเรียนไทย'], 'a list that cannot be had');
  await index.searchWithLists(body('ไทย'));
  t.same(fetched, ['chinese', 'thai'], 'is asked for once');
  await Promise.all([index.searchWithLists(body('x', { locales: ['deu'] })), index.searchWithLists(body('ខ្មែរ'))]);
  t.same(fetched.slice(2).sort(), ['german', 'khmer']);
});

t.test('a local index fetches the dictionaries of Japanese and Korean', async (t) => {
  const fetched: WordList[] = [];
  const { options } = build(['関西国際空港', '대한민국의 서울'], localized('jpn'));
  const index = new LocalIndex(module, {
    ...options,
    fetchWordList: async (list) => {
      fetched.push(list);
      return readList(list);
    },
  });
  t.same(highlighted(await index.searchWithLists(body('空港', { locales: ['jpn'] }))), ['関西国際<em>空港</em>']);
  t.same(highlighted(await index.searchWithLists(body('대한민국'))), ['<em>대한민국</em>의 서울']);
  t.same(fetched, ['japanese', 'korean']);
});

t.test('a local index uses the lists it was given', async (t) => {
  const { options } = build(['Kinderbuch', 'Bücherregal'], localized('deu'));
  const index = new LocalIndex(module, { ...options, wordLists: { german: readList('german') } });
  t.same(highlighted(index.search(body('Kinderbuch'))), ['<em>Kinder</em><em>buch</em>']);
  t.same(highlighted(new LocalIndex(module, options).search(body('Kinderbuch'))), ['Kinderbuch'], 'uncut without them');
});
