import t from 'tap';
import { copyDocument } from '../../bindings/engine/documents.js';
import { SECTION_PIECES } from '../../bindings/engine/exports.js';
import type { BlockSource } from '../../bindings/engine/instance.js';
import { PLAIN_CONFIG } from '../../bindings/test/builder-config.js';
import { seededRandom } from '../../bindings/test/random.js';
import { print } from './naive-indexer.js';
import { build, engine, open, randomDocument, SEED, sentence } from './segment-support.js';

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
    const source: BlockSource = {
      read: (offset, length, memory, at) => memory.set(file.bytes.subarray(offset, offset + length), at),
    };
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
    t.same(file.documents(), expected, 'a reader written from FORMAT.md finds the same');
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

/** Pieces are learned from documents with this many bytes. */
const LEARNED_BYTES = 1 << 20;

for (const [what, phrases] of [
  ['much in common', 40],
  ['little in common', 4000],
] as const)
  t.test(`documents with ${what} come back byte by byte from codes of pieces`, async (t) => {
    const random = seededRandom(SEED + 4);
    const common = Array.from({ length: phrases }, () => sentence(random, 30));
    const documents = Array.from({ length: 3000 }, (_, id) => {
      const text = Array.from({ length: random.int(30) }, () => random.pick(common)).join(' ');
      return { id, key: `${id}`, json: JSON.stringify({ id, text, own: sentence(random, 10) }) };
    });
    documents.push({ id: 3000, key: 'big', json: JSON.stringify({ text: common.join(' ').repeat(20) }) });
    const foreign = (length: number) => String.fromCharCode(...Array.from({ length }, () => 0x4e00 + random.int(20000)));
    for (let id = 3001; id < 3100; id++)
      documents.push({
        id,
        key: `${id}`,
        json: JSON.stringify({ id, text: `${foreign(random.int(9))} ${random.pick(common)}${foreign(id % 3)}` }),
      });
    documents.push({ id: 3100, key: 'foreign', json: JSON.stringify({ text: foreign(100000) }) });
    const { file, built } = build({ ...PLAIN_CONFIG, searchable: [] }, documents);
    t.ok(built.rawBytes > LEARNED_BYTES, `${built.rawBytes} bytes`);
    t.ok(file.sections.some(({ kind }) => kind === SECTION_PIECES));
    t.same(
      file.documents(),
      documents.map(({ json }) => json),
    );
    engine.scoped(() => {
      const { base, view } = open(engine, file);
      t.ok(engine.exports.segmentVerify(base), 'checksums hold');
      const source: BlockSource = {
        read: (offset, length, memory, at) => memory.set(file.bytes.subarray(offset, offset + length), at),
      };
      const segment = { id: 900002 + phrases, instance: engine, view, source };
      for (let read = 0; read < 6000; read++) {
        const local = random.int(documents.length);
        const found = Buffer.from(copyDocument(segment, local)).toString();
        if (found !== documents[local]?.json) t.fail(`seed ${SEED}: document ${local}`);
      }
    });
  });

t.test('documents nested as deep as payloads permit are indexed', async (t) => {
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

t.test('a changed bit in any section is detected', async (t) => {
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
