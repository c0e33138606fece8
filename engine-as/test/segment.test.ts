import t from 'tap';
import { SegmentBuilder } from '../../bindings/engine/builder.js';
import type { BuilderConfig } from '../../bindings/engine/builder-config.js';
import { copyDocument } from '../../bindings/engine/documents.js';
import { PLAIN_CONFIG } from '../../bindings/test/builder-config.js';
import { seededRandom } from '../../bindings/test/random.js';
import { Literal, NaiveIndexer, print, type Value, type ValueObject } from './naive-indexer.js';
import { randomObject as randomJsonObject } from './random-json.js';
import { SegmentFile } from './segment-file.js';
import { build, compareTerms, engine, open, randomDocument, SEED, termsByDocument } from './segment-support.js';

const encoder = new TextEncoder();

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
    const config = { ...PLAIN_CONFIG, ...random.pick(configs), ...(random.int(3) === 0 && { collectedBytes: random.int(2000) }) };
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

t.test('escapes, white space and repeated members are indexed like their plain forms', async (t) => {
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
        read: (from: number, length: number, memory: Uint8Array, at: number) =>
          memory.set(file.bytes.subarray(from, from + length), at),
      };
      const segment = { id: 910000 + round, instance: engine, view, source };
      for (const { id, json } of documents) {
        const stored = Buffer.from(copyDocument(segment, id)).toString();
        t.same(readValue(stored), readValue(json), `${label}: document ${id}`);
      }
    });
  }
});

t.test('a document exceeding the field limit is refused alone', async (t) => {
  const builder = new SegmentBuilder(engine, PLAIN_CONFIG);
  const wide = (from: number, count: number) =>
    encoder.encode(JSON.stringify(Object.fromEntries(Array.from({ length: count }, (_, i) => [`f${from + i}`, i]))));
  builder.add(0, encoder.encode('a'), wide(0, 65000));
  t.throws(() => builder.add(1, encoder.encode('b'), wide(65000, 1000)), { code: 'max_fields_limit_exceeded' });
  builder.add(1, encoder.encode('c'), wide(0, 10));
  t.equal(builder.documentCount, 2);
  t.equal(builder.fields.length, 65000);
  t.throws(() => builder.add(1, encoder.encode('d'), wide(0, 1)), /out of order/);
  const { pieces } = builder.finishInMemory();
  t.same(new SegmentFile(Buffer.concat(pieces)).keys().keys, ['a', 'c']);
});
