import t from 'tap';
import { SegmentBuilder } from '../engine/builder.js';
import { type DocumentRun, documentOf } from '../engine/document-run.js';
import { DocumentKeys, documentKey } from '../engine/json.js';
import { PLAIN_CONFIG } from './builder-config.js';
import { loadPlainEngine } from './engine.js';
import { type SeededRandom, seededRandom } from './random.js';

const SEED = Number(process.env.SEED ?? 29);
const engine = loadPlainEngine();

/** Documents as in a payload; those in `faults` have no id. */
function randomRun(random: SeededRandom, count: number, faults: boolean): DocumentRun {
  const places: number[] = [];
  let text = random.pick(['', '[', ' \n']);
  for (let i = 0; i < count; i++) {
    const id = random.pick([`${i}`, `"k${i}"`, `"\\u006b${i}"`, ...(faults ? ['"a b"', '1.5', 'null'] : [])]);
    const words = Array.from({ length: random.int(12) }, () => random.pick(['red', 'grün', '東京', 'a\\n', 'x y']));
    const members = [`"id" : ${id}`, `"t":"${words.join(' ')}"`, `"m":{"n${random.int(5)}":${random.int(9)}}`];
    if (faults && random.int(20) === 0) members.shift();
    text += random.pick(['', ' ', ',\n']);
    places.push(Buffer.byteLength(text));
    text += `{${members.join(random.pick([',', ' , ']))}}`;
    places.push(Buffer.byteLength(text));
  }
  return { bytes: new TextEncoder().encode(text), places: Uint32Array.from(places) };
}

/** The ids of documents read one at a time, and the fault of the first one without an id. */
function keysOneByOne(run: DocumentRun) {
  const keys: string[] = [];
  for (let i = 0; i < run.places.length / 2; i++) {
    const found = documentKey(engine, documentOf(run, i), 'id');
    if (found.kind !== 'ok') return { keys, fault: found };
    keys.push(Buffer.from(found.key).toString());
  }
  return { keys, fault: null };
}

t.test('ids of consecutive documents agree with reading them one by one', async (t) => {
  const random = seededRandom(SEED);
  for (let round = 0; round < 300; round++) {
    const run = randomRun(random, 1 + random.int(30), true);
    const { keys, ends, fault } = new DocumentKeys(engine, 'id').read(run);
    const texts = [...ends].map((end, i) => Buffer.from(keys.slice(i === 0 ? 0 : ends[i - 1], end)).toString());
    const expected = keysOneByOne(run);
    if (String(texts) !== String(expected.keys)) t.same(texts, expected.keys, `seed ${SEED} round ${round}`);
    if (JSON.stringify(fault) !== JSON.stringify(expected.fault)) t.same(fault, expected.fault, `seed ${SEED} round ${round}`);
  }
});

t.test('adding documents in runs gives the same segment as one by one', async (t) => {
  const random = seededRandom(SEED);
  for (let round = 0; round < 40; round++) {
    const runs = Array.from({ length: 1 + random.int(3) }, () => randomRun(random, 1 + random.int(25), false));
    const built = (add: (builder: SegmentBuilder, run: DocumentRun, firstId: number) => void) => {
      const builder = new SegmentBuilder(engine, { ...PLAIN_CONFIG, columnPatterns: ['*'] });
      let id = 3;
      for (const run of runs) {
        add(builder, run, id);
        id += run.places.length;
      }
      const file = Buffer.concat(builder.finishInMemory().pieces);
      return file;
    };
    const together = built((builder, documents, first) => {
      const { keys, ends } = new DocumentKeys(engine, 'id').read(documents);
      const ids = Uint32Array.from(ends, (_, i) => first + 2 * i);
      builder.addRun({ ids, keys, keyEnds: ends, documents });
    });
    const apart = built((builder, documents, first) => {
      for (const [i, key] of keysOneByOne(documents).keys.entries()) {
        builder.add(first + 2 * i, Buffer.from(key), documentOf(documents, i));
      }
    });
    if (!together.equals(apart)) t.fail(`seed ${SEED} round ${round}`);
  }
});

t.test('the documents before one with too many fields are added', async (t) => {
  const wide = `{"id":2,${Array.from({ length: 70_000 }, (_, i) => `"f${i}":1`).join(',')}}`;
  const bytes = new TextEncoder().encode(`{"id":1}${wide}{"id":3}`);
  const places = Uint32Array.of(0, 8, 8, 8 + wide.length, 8 + wide.length, bytes.length);
  const builder = new SegmentBuilder(engine, PLAIN_CONFIG);
  const run = { ids: Uint32Array.of(1, 2, 3), keys: Buffer.from('123'), keyEnds: Uint32Array.of(1, 2, 3) };
  t.throws(() => builder.addRun({ ...run, documents: { bytes, places } }), { code: 'max_fields_limit_exceeded' });
  t.equal(builder.documentCount, 1);
  builder.dispose();
});

/** A value without white space, and the same with some between its tokens. */
function spaced(random: SeededRandom, depth: number): [compact: string, spaced: string] {
  const gap = () => random.pick(['', '', '', ' ', '\n', '\t ']);
  const several = () =>
    Array.from({ length: random.int(4) }, (_, i) => ({ name: `"${'nm'.repeat(i + 1)}"`, value: spaced(random, depth - 1) }));
  const kind = random.int(depth > 0 ? 6 : 4);
  if (kind < 4) {
    const plain = random.pick(['1', '-2.5e3', 'true', 'null', '""', '"a b"', '"\\" x\\\\"', '{}', '[]']);
    return [plain, plain.length === 2 && plain !== '""' ? `${plain[0]}${gap()}${plain[1]}` : plain];
  }
  const members = several();
  const [open, close] = kind === 4 ? '[]' : '{}';
  const text = (value: 0 | 1, gap: () => string) => {
    const all = members.map((each) => (kind === 4 ? '' : `${each.name}${gap()}:${gap()}`) + each.value[value]);
    return `${open}${gap()}${all.join(`${gap()},${gap()}`)}${gap()}${close}`;
  };
  return [text(0, () => ''), text(1, gap)];
}

t.test('white space between tokens changes nothing', async (t) => {
  const random = seededRandom(SEED);
  for (let round = 0; round < 300; round++) {
    const documents = Array.from({ length: 5 }, () => {
      const members = Array.from({ length: 1 + random.int(4) }, (_, i) => ({ name: `"m${i}"`, value: spaced(random, 3) }));
      const text = (value: 0 | 1, gap: string) =>
        `{${gap}${members.map((each) => `${each.name}:${gap}${each.value[value]}`).join(`,${gap}`)}${gap}}`;
      return [text(0, ''), text(1, random.pick(['', ' ']))] as const;
    });
    const built = (value: 0 | 1) => {
      const builder = new SegmentBuilder(engine, { ...PLAIN_CONFIG, columnPatterns: ['*'] });
      for (const [id, each] of documents.entries()) builder.add(id, Buffer.from(`${id}`), Buffer.from(each[value]));
      const { fields } = builder;
      const file = Buffer.concat(builder.finishInMemory().pieces);
      return { fields, file };
    };
    const [compact, blanks] = [built(0), built(1)];
    if (!compact.file.equals(blanks.file)) t.fail(`seed ${SEED} round ${round}: ${JSON.stringify(documents)}`);
    if (String(compact.fields) !== String(blanks.fields)) t.same(blanks.fields, compact.fields, `seed ${SEED} round ${round}`);
  }
});
