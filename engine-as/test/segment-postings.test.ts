import t from 'tap';
import { PLAIN_CONFIG } from '../../bindings/test/builder-config.js';
import { seededRandom } from '../../bindings/test/random.js';
import { sameData } from '../../bindings/test/same-data.js';
import { NaiveIndexer, print, type ValueObject } from './naive-indexer.js';
import { build, compareTerms, engine, open, SEED, termsByDocument } from './segment-support.js';

t.test('postings are read as they were written', async (t) => {
  const random = seededRandom(SEED + 1);
  for (const size of [1, 127, 128, 129, 700, 3000]) {
    const share = new Map(['always', 'often', 'half', 'seldom', 'rare'].map((word, i) => [word, 4 ** i]));
    const documents = Array.from({ length: size }, (_, i) => {
      const words = [...share].filter(([, every]) => random.int(every) === 0).map(([word]) => word);
      if (random.int(50) === 0) words.push(...Array.from({ length: 400 }, () => 'often'));
      return { id: i, key: `${i}`, json: JSON.stringify({ text: words.join(' '), other: [words[0] ?? '', 'always'] }) };
    });
    const { file } = build(PLAIN_CONFIG, documents);
    const terms = file.terms();
    engine.scoped(() => {
      const { view } = open(engine, file);
      for (const [number, term] of terms.entries()) {
        const found: { doc: number; bytes: number }[] = [];
        engine.exports.postingsBegin(view, number);
        while (engine.exports.postingsNext())
          found.push({ doc: engine.exports.postingsDoc(), bytes: engine.exports.postingsPositionsLength() });
        t.same(
          found.map(({ doc }) => doc),
          term.postings.map(({ doc }) => doc),
          `${term.text} of ${size}`,
        );
        const bitmapBytes = 16 * Math.ceil(size / 128);
        const bitmap = engine.alloc(bitmapBytes);
        engine.bytes.fill(0, bitmap, bitmap + bitmapBytes);
        engine.exports.postingsOrInto(view, number, bitmap);
        const bits = Array.from({ length: bitmapBytes * 8 }, (_, i) => i).filter(
          (i) => ((engine.bytes[bitmap + (i >> 3)] as number) >> (i & 7)) & 1,
        );
        t.same(
          bits,
          found.map(({ doc }) => doc),
          `bits of ${term.text} of ${size}`,
        );
      }
    });
    t.ok(size < 700 || terms.some((term) => term.bitmap), 'frequent terms have bitmaps');
    sameData(t, file.documentTerms(), termsByDocument(file), `terms of ${size} documents`);
  }
});

t.test('segments are the same however often the words of their documents are read; their terms may be many', async (t) => {
  const random = seededRandom(SEED + 3);
  const word = () => `w${random.int(random.pick([30, 2000, 100_000]))}`;
  const text = () => Array.from({ length: random.int(120) }, word).join(random.pick([' ', '. ', ' '.repeat(3)]));
  // Gaps of several entries between words; and a document with more terms than two ranges of numbers of 16 bits have room for.
  const values = () => ({
    text: text(),
    list: [text(), ...Array.from({ length: random.int(80) }, () => ''), text()],
    other: word(),
  });
  const long = Object.fromEntries(
    ['text', 'list', 'other'].map((name) => [name, Array.from({ length: 40_000 }, (_, i) => `${name}${i}`).join(' ')]),
  );
  const documents = Array.from({ length: 3000 }, (_, i) => {
    const document = i === 2000 ? long : random.int(9) === 0 ? {} : values();
    return { id: i, key: `${i}`, json: JSON.stringify(document) };
  });
  const { file } = build(PLAIN_CONFIG, documents);
  const terms = file.terms();
  t.ok(terms.length > 2 * 65_536, `${terms.length} terms`);
  sameData(t, file.documentTerms(), termsByDocument(file), 'terms of each document');
  const parts = build({ ...PLAIN_CONFIG, collectedBytes: 200_000 }, documents);
  t.ok(Buffer.compare(parts.file.bytes, file.bytes) === 0, 'collected in parts');
  const occurrences = terms.reduce((sum, { postings }) => sum + postings.length, 0);
  t.ok(occurrences > 200_000, 'in several parts');
});

t.test('a dictionary of many terms has samples and a filter', async (t) => {
  const random = seededRandom(SEED + 2);
  const letters = ['a', 'b', 'c', 'z', '0', '9', 'é', 'ж', '漢', '😀'];
  for (const size of [10, 255, 256, 257, 640, 2000]) {
    const words = new Set<string>();
    while (words.size < size) {
      words.add(Array.from({ length: 1 + random.int(12) }, () => random.pick(letters)).join(''));
    }
    const { file } = build(PLAIN_CONFIG, [{ id: 0, key: '0', json: JSON.stringify({ text: [...words] }) }]);
    const texts = file.terms().map(({ text }) => text);
    if (texts.length < 256) {
      t.equal(file.samples(), null, `${texts.length} terms`);
      t.equal(file.passesFilter('a'), null);
      t.equal(file.letters(), null);
    } else {
      const key = (text: string) => Buffer.from(text).toString('hex').slice(0, 16).padEnd(16, '0');
      const keys = texts.filter((_, i) => i % 64 === 0).map(key);
      const firsts = texts.flatMap((text, i) => ([...text][0] === [...(texts[i - 1] ?? '')][0] ? [] : [i]));
      t.same(file.samples(), { keys, firsts }, `${texts.length} terms`);
      const sets = texts.map(
        (text) => [...text].slice(0, 12).reduce((set, letter) => set | (1 << ((letter.codePointAt(0) ?? 0) & 31)), 0) >>> 0,
      );
      t.same(file.letters(), sets, 'letters of each term');
      t.same(
        texts.filter((text) => !file.passesFilter(text)),
        [],
        'every term passes the filter',
      );
      const others = Array.from({ length: 1000 }, (_, i) => `other${random.int(1000)}${i}`);
      t.ok(others.filter((text) => file.passesFilter(text)).length < 150, 'few other texts do');
    }
  }
});

t.test('positions end at the limit, frequent words have long postings', async (t) => {
  const values = Array.from({ length: 7400 }, (_, i) => `same w${i % 50}`);
  // starts at 65,529 and crosses the limit
  values[7281] = 'k l m n o p q r s t';
  const document = { text: values, more: ['x', 'a, b, c, d, e'] };
  const naive = new NaiveIndexer(PLAIN_CONFIG);
  naive.add(document);
  const { file } = build(PLAIN_CONFIG, [{ id: 0, key: '0', json: JSON.stringify(document) }]);
  compareTerms(t, 'long', file, naive);
  const last = file.terms().flatMap((term) => term.postings.flatMap(({ codes }) => codes.filter((code) => code < 65536)));
  t.equal(Math.max(...last), 65535, 'the last position that is indexed');
  t.same(file.wordCounts(), naive.wordCounts);
});

t.test('attributes that alternate within a document are indexed in order', async (t) => {
  const names = Array.from({ length: 12 }, (_, i) => `name${(i * 5) % 12}`);
  const rows = Array.from({ length: 300 }, (_, i) => Object.fromEntries(names.map((name) => [name, i % 2 === 0])));
  const naive = new NaiveIndexer(PLAIN_CONFIG);
  naive.add({ rows });
  const { file } = build(PLAIN_CONFIG, [{ id: 0, key: '0', json: JSON.stringify({ rows }) }]);
  compareTerms(t, 'turns', file, naive);
  t.same(file.wordCounts(), naive.wordCounts);
});

t.test('attribute numbers beyond 31 take a long group head', async (t) => {
  const document: ValueObject = {};
  for (let i = 0; i < 300; i++) document[`field${i}`] = `word${i % 7} shared shared`;
  const naive = new NaiveIndexer(PLAIN_CONFIG);
  naive.add(document);
  const { file, fields } = build(PLAIN_CONFIG, [{ id: 0, key: '0', json: print(document) }]);
  t.same(fields, naive.fields);
  compareTerms(t, 'many', file, naive);
});
