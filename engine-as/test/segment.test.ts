import t, { type Test } from 'tap';
import { type BuilderConfig, type BuiltSegment, SegmentBuilder } from '../../bindings/engine/builder.js';
import { copyDocument } from '../../bindings/engine/documents.js';
import type { SegmentView } from '../../bindings/engine/exports.js';
import type { BlockSource, EngineInstance } from '../../bindings/engine/instance.js';
import { PLAIN_CONFIG } from '../../bindings/test/builder-config.js';
import { loadKernels } from '../../bindings/test/engine.js';
import { type SeededRandom, seededRandom } from '../../bindings/test/random.js';
import { Literal, NaiveIndexer, print, type Value, type ValueObject } from './naive-indexer.js';
import { randomObject as randomJsonObject } from './random-json.js';
import { type FileFollowed, type FileLongRun, SegmentFile } from './segment-file.js';

const SEED = Number(process.env.SEED ?? 45);
const encoder = new TextEncoder();
const engine = loadKernels();

interface Built {
  file: SegmentFile;
  fields: string[];
  built: BuiltSegment;
}

function build(config: BuilderConfig, documents: { id: number; key: string; json: string }[]): Built {
  const builder = new SegmentBuilder(engine, config);
  for (const { id, key, json } of documents) builder.add(id, encoder.encode(key), encoder.encode(json));
  const chunks: Uint8Array[] = [];
  const built = builder.finish((chunk) => chunks.push(chunk.slice()));
  return { file: new SegmentFile(Buffer.concat(chunks)), fields: builder.fields, built };
}

const WORDS = [
  'big',
  'cat',
  'Red',
  'fox',
  'a',
  '32.3',
  'x,',
  'end.',
  'Ünder',
  '7',
  '-',
  '½',
  'the',
  'snake_case',
  'é',
  'oh!',
  '日',
  'z'.repeat(260),
  'Ã\u00a0',
];
const LITERALS = ['1', '10', '10.0', '1.50', '1e3', '-7', '0.000001', '18446744073709551616', '12345678901234567890'];
const NAMES = ['a', 'b', 'c', 'title', 'tags', 'a.b', 'o'];

const sentence = (random: SeededRandom, most: number) =>
  Array.from({ length: random.int(most) }, () => random.pick(WORDS)).join(random.pick([' ', ' ', ', ', '. ', '\n']));

function randomValue(random: SeededRandom, depth: number): Value {
  const kind = random.int(depth > 0 ? 12 : 7);
  if (kind < 4) return sentence(random, 8);
  if (kind < 5) return new Literal(random.pick(LITERALS));
  if (kind < 7) return random.pick([true, false, null, '']);
  if (kind < 10) return Array.from({ length: random.int(4) }, () => randomValue(random, depth - 1));
  return randomObject(random, depth - 1);
}

function randomObject(random: SeededRandom, depth: number): ValueObject {
  const object: ValueObject = {};
  for (let i = random.int(5); i > 0; i--) object[random.pick(NAMES)] = randomValue(random, depth);
  return object;
}

function randomDocument(random: SeededRandom, id: number): ValueObject {
  const document: ValueObject = { id: new Literal(String(id)), ...randomObject(random, 3) };
  if (random.int(20) === 0) document.long = sentence(random, 2000);
  if (random.int(10) === 0) document._vectors = { m: { embeddings: [new Literal('1')], regenerate: false } };
  if (random.int(10) === 0) document._geo = { lat: new Literal('1.5'), lng: '2.5' };
  return document;
}

function compareTerms(t: Test, label: string, file: SegmentFile, naive: NaiveIndexer): void {
  const terms = file.terms();
  const expected = [...naive.terms].sort((a, b) => Buffer.compare(Buffer.from(a[0]), Buffer.from(b[0])));
  t.same(
    terms.map((term) => term.text),
    expected.map(([text]) => text),
    `${label}: terms`,
  );
  for (const [i, term] of terms.entries()) {
    const [text, { sides, docs }] = expected[i] as (typeof expected)[number];
    const postings = [...docs].map(([doc, codes]) => ({ doc, codes: [...codes].sort((a, b) => a - b) }));
    if (JSON.stringify(term.postings) !== JSON.stringify(postings)) t.same(term.postings, postings, `${label}: ${text}`);
    if ((term.flags & 3) !== sides) t.equal(term.flags & 3, sides, `${label}: sides of ${text}`);
    if (term.bitmap) t.same(term.bitmap, [...docs.keys()], `${label}: bitmap of ${text}`);
    const previous = Buffer.from(terms[i - 1]?.text ?? '');
    const bytes = Buffer.from(text);
    let lcp = 0;
    while (i > 0 && lcp < 255 && lcp < previous.length && previous[lcp] === bytes[lcp]) lcp++;
    if (term.lcp !== lcp) t.equal(term.lcp, lcp, `${label}: bytes shared before ${text}`);
  }
}

/** The postings, turned around. */
function termsByDocument(file: SegmentFile): { term: number; codes: number[] }[][] {
  const documents = Array.from({ length: file.docCount }, (): { term: number; codes: number[] }[] => []);
  for (const [term, { postings }] of file.terms().entries()) {
    for (const { doc, codes } of postings) documents[doc]?.push({ term, codes });
  }
  return documents;
}

const POSITION_LIMITS = [0, 1, 4, 7, 11, 16, 24, 64, 256, 1024];

/** What a position costs the first word of a query: spec 40. */
function costOfPosition(position: number): number {
  const known = position < 16 ? position : position < 24 ? 24 : 2 ** Math.ceil(Math.log2(position));
  const cost = POSITION_LIMITS.findIndex((limit) => Math.min(known, 65535) <= limit);
  return cost < 0 ? POSITION_LIMITS.length : cost;
}

const MAX_RUN_ATTRIBUTES = 16;

/** Every prefix without its own word, and every term, that has enough postings, with its documents. */
function longRunsOf(file: SegmentFile, least: number): FileLongRun[] {
  const terms = file.terms();
  const ranges = new Map<string, [number, number]>();
  const add = (from: number, to: number) => {
    const postings = terms.slice(from, to).reduce((sum, term) => sum + term.postings.length, 0);
    if (from < to && postings >= least) ranges.set(`${from} ${to}`, [from, to]);
  };
  const prefixes = new Set(terms.flatMap(({ text }) => [...text].map((_, i) => [...text].slice(0, i + 1).join(''))));
  for (const prefix of prefixes) {
    const own = terms.map(({ text }, i) => (text !== prefix && text.startsWith(prefix) ? i : -1)).filter((i) => i >= 0);
    if (own.length > 0) add(own[0] as number, (own.at(-1) as number) + 1);
  }
  for (const i of terms.keys()) add(i, i + 1);
  const sorted = [...ranges.values()].sort((a, b) => a[0] - b[0] || b[1] - a[1]);
  const runs = sorted.map(([from, to]) => {
    const attributes = new Map<number, Set<number>>();
    const first = new Map<number, number>();
    for (const { doc, codes } of terms.slice(from, to).flatMap(({ postings }) => postings)) {
      for (const code of codes) {
        const attribute = Math.floor(code / 65536);
        attributes.set(attribute, (attributes.get(attribute) ?? new Set()).add(doc));
        first.set(doc, Math.min(first.get(doc) ?? 65536, code % 65536));
      }
    }
    return {
      from,
      to,
      sides: terms.slice(from, to).reduce((sides, { flags }) => sides | (flags & 3), 0),
      attributes: [...attributes]
        .sort((a, b) => a[0] - b[0])
        .map(([attribute, docs]) => ({ attribute, docs: [...docs].sort((a, b) => a - b) })),
      places: Array.from({ length: file.docCount }, (_, doc) => {
        const position = first.get(doc);
        return position === undefined ? 0 : 1 + costOfPosition(position);
      }),
    };
  });
  const attributes = new Set(runs.flatMap((run) => run.attributes.map(({ attribute }) => attribute)));
  return attributes.size > MAX_RUN_ATTRIBUTES ? [] : runs;
}

t.test('long runs of terms have the documents of their terms', async (t) => {
  const random = seededRandom(SEED);
  let filled = 0;
  for (let round = 0; round < 30; round++) {
    const config = { ...PLAIN_CONFIG, disableOnNumbers: random.int(2) === 0, longRun: random.pick([1, 30]) };
    const fields = Array.from({ length: random.pick([2, 5, 40]) }, (_, i) => `f${i}`);
    const texts = Array.from({ length: random.pick([1, 9, 300]) }, (_, id) => {
      const document = Object.fromEntries(
        Array.from({ length: 1 + random.int(4) }, () => [random.pick(fields), sentence(random, random.pick([3, 30, 400]))]),
      );
      return { id, key: String(id), json: JSON.stringify({ id, ...document }) };
    });
    const { file } = build(config, texts);
    const runs = file.longRuns();
    filled += runs.length;
    t.same(runs, longRunsOf(file, Math.max(Math.floor(texts.length / 2), config.longRun)), `seed ${SEED} round ${round}`);
  }
  t.ok(filled > 100, 'there are some');
});

/** What follows every term that enough documents hold, from the positions of all terms. */
function followedOf(file: SegmentFile, least: number): FileFollowed[] {
  const terms = file.terms();
  /** term by document and code */
  const places = new Map<string, number>();
  for (const [term, { postings }] of terms.entries()) {
    for (const { doc, codes } of postings) for (const code of codes) places.set(`${doc} ${code}`, term);
  }
  return terms.flatMap(({ postings }, term) => {
    if (postings.length < least) return [];
    const followers = new Map<number, Set<number>>();
    for (const { doc, codes } of postings) {
      for (const code of codes) {
        const next = code % 65536 === 65535 ? undefined : places.get(`${doc} ${code + 1}`);
        if (next !== undefined) followers.set(next, (followers.get(next) ?? new Set()).add(doc));
      }
    }
    const sorted = [...followers].sort((a, b) => a[0] - b[0]);
    return [{ term, followers: sorted.map(([follower, docs]) => ({ term: follower, docs: [...docs].sort((a, b) => a - b) })) }];
  });
}

t.test('frequent words have the documents in which others follow them', async (t) => {
  const random = seededRandom(SEED);
  let filled = 0;
  for (let round = 0; round < 30; round++) {
    const config = { ...PLAIN_CONFIG, longRun: random.pick([1, 30]) };
    const texts = Array.from({ length: random.pick([1, 9, 300]) }, (_, id) => {
      const document = Object.fromEntries(
        Array.from({ length: 1 + random.int(4) }, () => [
          random.pick(['f', 'g', 'h']),
          Array.from({ length: 1 + random.int(3) }, () => sentence(random, random.pick([3, 30, 400]))),
        ]),
      );
      return { id, key: String(id), json: JSON.stringify({ id, ...document }) };
    });
    const { file } = build(config, texts);
    const followed = file.followed();
    filled += followed.length;
    const least = Math.max(Math.floor(texts.length / 8), 4 * config.longRun);
    t.same(followed, followedOf(file, least), `seed ${SEED} round ${round}`);
  }
  t.ok(filled > 100, 'there are some');
});

t.test('segments of random documents equal a naive index', async (t) => {
  const random = seededRandom(SEED);
  const configs: Partial<BuilderConfig>[] = [
    {},
    { searchable: ['title', 'a', 'tags'], exactAttributes: ['a.b', 'tags'] },
    {
      disableOnNumbers: true,
      tokenizer: { stopWords: ['the', 'a'], separatorTokens: ['-x-'], nonSeparatorTokens: ['_'], dictionary: ['end.'] },
    },
    { fields: ['zero', 'o.o.o', 'tags'], searchable: ['*'] },
    { searchable: [] },
  ];
  for (let round = 0; round < 20; round++) {
    const config = { ...PLAIN_CONFIG, ...random.pick(configs) };
    const naive = new NaiveIndexer(config);
    const documents = Array.from({ length: random.int(40) }, (_, i) => randomDocument(random, i));
    const texts = documents.map((document, i) => ({ id: 3 * i + 1, key: `k${(i * 37) % 40}-${i}`, json: print(document) }));
    const label = `seed ${SEED} round ${round}`;
    const { file, fields, built } = build(config, texts);
    for (const document of documents) naive.add(document);
    t.same(fields, naive.fields, `${label}: fields`);
    compareTerms(t, label, file, naive);
    t.same(file.documentTerms(), termsByDocument(file), `${label}: terms of the documents`);
    t.same(file.wordCounts(), naive.wordCounts, `${label}: word counts`);
    t.same(
      file.ids(),
      texts.map(({ id }) => id),
      `${label}: ids`,
    );
    const { keys, order } = file.keys();
    t.same(
      keys,
      texts.map(({ key }) => key),
      `${label}: keys`,
    );
    t.same(
      order.map((local) => keys[local]),
      [...keys].sort(),
      `${label}: order of keys`,
    );
    t.equal(built.fileLength, file.bytes.length);
    t.match(built, { docCount: documents.length, residentLength: file.residentLength, fileLength: file.fileLength });
  }
});

/** Reads JSON with its numbers as they were written. */
function readValue(json: string): Value {
  const quoted = json.replace(/("(?:[^"\\]|\\.)*")|(-?\d[\d.eE+-]*)/g, (_, text, number) => text ?? `"#${number}"`);
  return JSON.parse(quoted, (_, value) =>
    typeof value === 'string' && /^#-?\d/.test(value) ? new Literal(value.slice(1)) : value,
  );
}

t.test('escapes, blanks and members given twice', async (t) => {
  const random = seededRandom(SEED + 4);
  for (let round = 0; round < 30; round++) {
    const texts = Array.from({ length: 20 }, () => randomJsonObject(random, { blanks: true, duplicates: true }));
    const naive = new NaiveIndexer(PLAIN_CONFIG);
    for (const text of texts) naive.add(readValue(text) as ValueObject);
    const documents = texts.map((json, id) => ({ id, key: `${id}`, json }));
    const { file, fields } = build(PLAIN_CONFIG, documents);
    const label = `seed ${SEED + 4} round ${round}`;
    t.same(fields, naive.fields, `${label}: fields`);
    compareTerms(t, label, file, naive);
    engine.scoped(() => {
      const { view } = open(engine, file);
      const source = {
        read: (from: number, length: number, into: Uint8Array) => into.set(file.bytes.subarray(from, from + length)),
      };
      const segment = { id: 910000 + round, instance: engine, view, source };
      for (const { id, json } of documents) {
        const stored = Buffer.from(copyDocument(segment, id)).toString();
        t.same(readValue(stored), readValue(json), `${label}: document ${id}`);
      }
    });
  }
});

/** Places the resident part of a file in an instance. */
function open(instance: EngineInstance, file: SegmentFile): { base: number; view: SegmentView } {
  const base = instance.put(file.bytes.subarray(0, file.residentLength));
  return { base, view: instance.exports.segmentOpen(base) };
}

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
    t.same(file.documentTerms(), termsByDocument(file), `terms of ${size} documents`);
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

t.test('attributes that take turns', async (t) => {
  const names = Array.from({ length: 12 }, (_, i) => `name${(i * 5) % 12}`);
  const rows = Array.from({ length: 300 }, (_, i) => Object.fromEntries(names.map((name) => [name, i % 2 === 0])));
  const naive = new NaiveIndexer(PLAIN_CONFIG);
  naive.add({ rows });
  const { file } = build(PLAIN_CONFIG, [{ id: 0, key: '0', json: JSON.stringify({ rows }) }]);
  compareTerms(t, 'turns', file, naive);
  t.same(file.wordCounts(), naive.wordCounts);
});

t.test('many attributes', async (t) => {
  const document: ValueObject = {};
  for (let i = 0; i < 300; i++) document[`field${i}`] = `word${i % 7} shared shared`;
  const naive = new NaiveIndexer(PLAIN_CONFIG);
  naive.add(document);
  const { file, fields } = build(PLAIN_CONFIG, [{ id: 0, key: '0', json: print(document) }]);
  t.same(fields, naive.fields);
  compareTerms(t, 'many', file, naive);
});

t.test('a document that brings too many fields is refused alone', async (t) => {
  const builder = new SegmentBuilder(engine, PLAIN_CONFIG);
  const wide = (from: number, count: number) =>
    encoder.encode(JSON.stringify(Object.fromEntries(Array.from({ length: count }, (_, i) => [`f${from + i}`, i]))));
  builder.add(0, encoder.encode('a'), wide(0, 65000));
  t.throws(() => builder.add(1, encoder.encode('b'), wide(65000, 1000)), { code: 'max_fields_limit_exceeded' });
  builder.add(1, encoder.encode('c'), wide(0, 10));
  t.equal(builder.documentCount, 2);
  t.equal(builder.fields.length, 65000);
  t.throws(() => builder.add(1, encoder.encode('d'), wide(0, 1)), /out of order/);
  const chunks: Uint8Array[] = [];
  builder.finish((chunk) => chunks.push(chunk.slice()));
  t.same(new SegmentFile(Buffer.concat(chunks)).keys().keys, ['a', 'c']);
});

t.test('documents come back byte by byte', async (t) => {
  const random = seededRandom(SEED + 2);
  const documents = Array.from({ length: 400 }, (_, id) => ({ id, key: `${id}`, json: print(randomDocument(random, id)) }));
  documents.push({ id: 400, key: 'big', json: JSON.stringify({ text: sentence(random, 2).repeat(1000) + 'x'.repeat(300000) }) });
  documents.push({ id: 401, key: 'blanks', json: ' { "a" : [ 1 , 2.50 ] ,\n"b" : " x " } ' });
  documents.push({ id: 402, key: 'twice', json: '{"a":1,"b":{"c":1,"c":[2]},"a":12345678901234567890}' });
  const { file } = build(PLAIN_CONFIG, documents);
  engine.scoped(() => {
    const { base, view } = open(engine, file);
    t.ok(engine.exports.segmentVerify(base), 'checksums hold');
    const source: BlockSource = { read: (offset, length, into) => into.set(file.bytes.subarray(offset, offset + length)) };
    const segment = { id: 900001, instance: engine, view, source };
    const expected = documents.map(({ json }) => json);
    expected[401] = '{"a":[1,2.50],"b":" x "}';
    expected[402] = '{"a":12345678901234567890,"b":{"c":[2]}}';
    const order = Array.from({ length: documents.length }, (_, i) => (i * 101) % documents.length);
    const found = order.map((local) => Buffer.from(copyDocument(segment, local)).toString());
    t.same(
      found,
      order.map((local) => expected[local]),
    );
    const copy = copyDocument(segment, 3);
    copy.fill(0);
    t.equal(Buffer.from(copyDocument(segment, 3)).toString(), expected[3], 'what is handed out may be changed');

    for (const { key } of documents) {
      const { pointer, length } = engine.putText(key);
      const local = engine.exports.keyLookup(view, pointer, length);
      if (documents[local]?.key !== key) t.fail(`key ${key} is found at ${local}`);
    }
    const { pointer } = engine.putText('4000');
    t.equal(engine.exports.keyLookup(view, pointer, 4), -1);
  });
});

t.test('the deepest documents that payloads may hold', async (t) => {
  const depth = 511;
  const documents = ['{"a":', '['].map((open, id) => {
    const close = open === '[' ? ']' : '}';
    return { id, key: `${id}`, json: `{"x":${open.repeat(depth)}"deep"${close.repeat(depth)}}` };
  });
  const { file, fields } = build(PLAIN_CONFIG, documents);
  t.equal(fields.length, depth + 1);
  t.same(
    file.terms().map(({ text, postings }) => [text, postings.map(({ doc }) => doc)]),
    [['deep', [0, 1]]],
  );
});

t.test('damage is noticed', async (t) => {
  const random = seededRandom(SEED + 3);
  const documents = Array.from({ length: 50 }, (_, id) => ({ id, key: `${id}`, json: print(randomDocument(random, id)) }));
  const { file } = build({ ...PLAIN_CONFIG, columnPatterns: ['*'] }, documents);
  const covered = file.sections.filter((section) => section.kind !== 9 && section.length > 0);
  for (let round = 0; round < 200; round++) {
    const section = random.pick(covered);
    const place = random.int(4) === 0 ? random.int(64 + 32 * file.sections.length) : section.offset + random.int(section.length);
    const noticed = engine.scoped(() => {
      const base = engine.put(file.bytes.subarray(0, file.residentLength));
      engine.bytes[base + place] = (engine.bytes[base + place] as number) ^ (1 << random.int(8));
      return !engine.exports.segmentVerify(base);
    });
    if (!noticed) t.fail(`seed ${SEED} round ${round}: byte ${place}`);
  }
  engine.scoped(() => {
    const base = engine.put(file.bytes.subarray(0, file.residentLength));
    engine.bytes[base + 4] = 99;
    t.equal(engine.exports.segmentOpen(base), 0, 'an unknown version is not opened');
  });
});
