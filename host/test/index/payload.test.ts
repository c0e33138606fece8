import fs from 'node:fs';
import path from 'node:path';
import t from 'tap';

import { seededRandom } from '../../../bindings/test/random.js';
import { csvDocuments } from '../../index/payloads/payload-csv.js';
import { PayloadFiles } from '../../index/payloads/payload-files.js';
import { payloadBytes } from '../../index/payloads/payload-format.js';
import { DEFAULT_SETTINGS } from '../../index/settings/settings.js';
import { TestDatabase } from '../support/test-database.js';

async function csv(text: string, delimiter?: string): Promise<unknown[]> {
  const { text: json, starts, ends } = await csvDocuments(Buffer.from(text), delimiter);
  return [...starts].map((start, index) => Buffer.from(json.subarray(start, ends[index])).toString());
}

t.test('documents of a stored payload can be read in any order', async (t) => {
  const random = seededRandom(5);
  const texts = Array.from({ length: 3000 }, (_, index) => `${index}${'x'.repeat(random.int(random.int(20) ? 100 : 40_000))}`);
  const starts = new Uint32Array(texts.length);
  const ends = new Uint32Array(texts.length);
  let at = 0;
  for (const [index, text] of texts.entries()) {
    starts[index] = at;
    at += text.length;
    ends[index] = at;
  }
  const file = path.join(t.testdir(), 'payload');
  fs.writeFileSync(file, payloadBytes(Buffer.from(texts.join('')), { count: texts.length, starts, ends }));
  const files = new PayloadFiles(path.dirname(file));
  const reader = files.reader('payload');
  const read = (index: number) => Buffer.from(reader.document(index)).toString();
  t.ok(
    texts.every((text, index) => read(index) === text),
    'in order',
  );
  t.ok(
    Array.from({ length: 2000 }, () => random.int(texts.length)).every((index) => read(index) === texts[index]),
    'at random',
  );
  files.close();
});

t.test('CSV becomes JSON by the types of its header', async (t) => {
  t.same(await csv('id:number,name,price:number,ok:boolean\n7,"Fig, dried",,true'), [
    '{"id":7,"name":"Fig, dried","price":null,"ok":true}',
  ]);
  t.same(await csv('\ufeffa:b:number,d::number,url:http\r\n+007, 2 ,x\r\n\r\n.5,1e3,""\r\n'), [
    '{"a:b":7,"d:":2,"url:http":"x"}',
    '{"a:b":0.5,"d:":1000.0,"url:http":null}',
  ]);
  t.same(await csv('n:number\n5.\nNaN\n-inf\n1e999\n9223372036854775807\n9223372036854775808\n-0.0'), [
    '{"n":5.0}',
    '{"n":null}',
    '{"n":null}',
    '{"n":null}',
    '{"n":9223372036854775807}',
    '{"n":9223372036854776000.0}',
    '{"n":-0.0}',
  ]);
  t.same(await csv('a;b\n1,2;"say ""hi""\nthere"', ';'), ['{"a":"1,2","b":"say \\"hi\\"\\nthere"}']);
  t.same(await csv('a,a,x.y\n1,2,3'), ['{"a":"2","x.y":"3"}'], 'the last column of a name wins');
  t.same(await csv('s,t\n null , true\n'), ['{"s":" null ","t":" true"}'], 'text is kept verbatim');
  const documents = ['{"id":"1","t":"x"}', '{"id":"2","t":"y\\rz"}'];
  for (const text of ['id,t\r1,x\r2,"y\rz"', 'id,t\r1,x\r\r2,"y\rz"\r', 'id,t\r\n1,x\r2,"y\rz"\n'])
    t.same(await csv(text), documents, `a carriage return outside quotes ends a record: ${JSON.stringify(text)}`);
  t.same(await csv('only,header'), []);
  t.same(await csv(''), []);
});

t.test('CSV that does not fit its header is refused, naming the record and the value', async (t) => {
  for (const [text, message] of [
    ['id,price:number\n1,abc', /record 1.*`abc`.*number/],
    ['id,ok:boolean\n1,true\n2,True', /record 2.*`True`.*boolean/],
    ['a,b\n1,2\n3\n', /record 2 has 1 cells where the header has 2: `3`/],
    ['a,b\n1,x\ry\n', /record 2 has 1 cells where the header has 2: `y`/],
    ['n:number\n1_000', /1_000/],
    ['n:number\n0x10', /0x10/],
    ['a\n"open', /record 1/],
  ] as const) {
    await t.rejects(csv(text), { code: 'malformed_payload', message }, text);
  }
  await t.rejects(csvDocuments(Uint8Array.of(0x61, 10, 0xff)), { code: 'malformed_payload', message: /UTF-8/ });
});

t.test('payloads are checked before they are stored', async (t) => {
  const test = await TestDatabase.open(t);
  const scan = (text: string, format: 'json' | 'ndjson' | 'csv') => test.indexStore.payloads.store([Buffer.from(text)], format);
  t.match(await scan('[{"id":1},{"id":2}]', 'json'), { count: 2 });
  t.match(await scan('{"id":1}', 'json'), { count: 1 });
  t.match(await scan('[]', 'json'), { count: 0 });
  t.match(await scan('\n{"id":1}\r\n\n{"id":\n2}{"id":3}', 'ndjson'), { count: 3 });
  t.match(await scan(' \n', 'ndjson'), { count: 0 });
  t.match(await scan('id\n1\n', 'csv'), { count: 1 });
  for (const [text, format, message] of [
    ['[{"id":1},', 'json', /json/],
    ['[1]', 'json', /object/],
    ['7', 'json', /json/],
    ['{"id":1} x', 'json', /json/],
    ['{"id":1}\n{"id":2,}\n', 'ndjson', /line 2/],
    ['{"id":1}\n7', 'ndjson', /line 2/],
  ] as const) {
    await t.rejects(scan(text, format), { code: 'malformed_payload', message }, text);
  }
  t.equal(fs.readdirSync(path.join(test.folder, 'payloads')).length, 6, 'only what is well formed is kept');
});

t.test('the primary key is chosen, inferred or refused, and a bad document fails its operation alone', async (t) => {
  const test = await TestDatabase.open(t);
  await test.create('a');
  const apply = async (documents: unknown[] | string, primaryKey: string | null = null) =>
    (await test.apply('a', await test.add(documents, { primaryKey })))[0];
  t.equal(await apply([{ name: 'x' }]), 'index_primary_key_no_candidate_found');
  t.equal(await apply([{ code_id: 1, fruitID: 2 }]), 'index_primary_key_multiple_candidates_found');
  t.equal(test.indexStore.indexes.get('a')?.primaryKey, null);
  t.equal(await apply([{ code_id: 1 }, { code_id: 1.5 }]), 'invalid_document_id');
  t.equal(test.indexStore.indexes.get('a')?.primaryKey, null, 'a payload that fails does not set it');
  const results = await test.apply(
    'a',
    await test.add([{ code_id: true }]),
    await test.add([{ code_id: 5 }, { code_id: '5' }]),
    await test.add([{ name: 'no id' }]),
    await test.add([{ code_id: 6 }], { primaryKey: 'name' }),
  );
  t.same(results, ['invalid_document_id', 1, 'missing_document_id', 'index_primary_key_already_exists']);
  t.same(await test.documents('a'), [{ code_id: '5' }]);
  t.equal(await apply([], 'other'), 0, 'a payload without documents never fails on its key');
  t.equal(await apply('[{"code_id": 18446744073709551615, "n": 1.0}]'), 1);
  const { body } = await test.searches.search('document', 'a', { documentId: '18446744073709551615' });
  t.equal(new TextDecoder().decode(body), '{"code_id":18446744073709551615,"n":1.0}', 'numbers keep their digits');
});

t.test('ids that were read while a payload arrived change nothing', async (t) => {
  const random = seededRandom(11);
  const text = (fruit: object) => JSON.stringify({ ...fruit, text: 'x'.repeat(random.int(2000)) });
  // over a megabyte: several pieces
  const many = Array.from({ length: 1500 }, () => text({ id: random.int(1500), code: `k${random.int(3000)}` }));
  const payloads: [name: string, lines: string[]][] = [
    ['repeated ids', many],
    ['a document without id', [...many, text({ code: 'last' }), text({ id: 1, code: 'after' })]],
    ['an id that is none', [...many, text({ id: 'a b', code: 'last' })]],
    ['a bad point', [...many, text({ id: 9000, code: 'last', _geo: { lat: 'x', lng: 1 } })]],
    ['points', [...many, text({ id: 9000, code: 'last', _geo: { lat: '5', lng: 1 } })]],
    ['ids as strings, and below an object', ['{"id":"7","code":"a"}', '{"id":7,"code":"b"}', '{"id":"\\u0038","code":"c"}']],
  ];
  const settings = { ...DEFAULT_SETTINGS, sortableAttributes: ['_geo'] };
  const test = await TestDatabase.open(t);
  const { payloads: intake, settings: changes } = test.indexStore;
  for (const [number, [name, lines]] of payloads.entries()) {
    const outcomes = [];
    for (const hint of [null, 'id', 'code']) {
      const uid = `${hint}-${number}`;
      await test.create(uid, 'id');
      await test.commit(await changes.change(uid, settings, test.now()));
      const { file, bytes } = await intake.store([Buffer.from(lines.join('\n'))], 'ndjson', { primaryKey: hint });
      t.equal(fs.statSync(path.join(test.folder, 'payloads', file)).size, bytes);
      const operation = { type: 'add', file, method: 'replace', primaryKey: null, skipCreation: false } as const;
      const results = await test.apply(uid, operation, await test.add([{ id: 7, code: 'later' }]));
      outcomes.push({ results, documents: await test.documents(uid) });
    }
    t.same(outcomes[1], outcomes[0], name);
    t.same(outcomes[2], outcomes[0], `${name}, under another key`);
  }
});

t.test('too many field paths fail the operation that brings them', async (t) => {
  const test = await TestDatabase.open(t);
  await test.create('a', 'id');
  const wide = (id: number, from: number, count: number) =>
    Object.fromEntries([['id', id], ...Array.from({ length: count }, (_, index) => [`f${from + index}`, 1])]);
  const results = await test.apply(
    'a',
    await test.add([wide(1, 0, 40_000)]),
    await test.add([wide(2, 40_000, 40_000)]),
    await test.add([wide(3, 40_000, 10)]),
  );
  t.same(results, [1, 'max_fields_limit_exceeded', 1]);
  t.same(
    (await test.documents('a', [['fields', 'id']])).map(({ id }) => id),
    [1, 3],
  );
});

t.test('a payload longer than one chunk is checked completely', async (t) => {
  const test = await TestDatabase.open(t);
  const folder = path.join(test.folder, 'payloads');
  const long = (id: number, length: number) => JSON.stringify({ id, text: 'ö'.repeat(length / 2) });
  const lines = [...Array.from({ length: 60 }, (_, id) => long(id, 100_000 + id * 3333)), long(60, 9_000_000), long(61, 10)];
  async function* inPieces(text: string, size: number) {
    const bytes = Buffer.from(text);
    for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
  }
  for (const [text, format] of [
    [lines.join('\n'), 'ndjson'],
    [`[${lines.join(' ,\n')}]`, 'json'],
    [`id:number,text\n${lines.map((line) => line.slice(6, -1).replace(',"text":', ',')).join('\n')}\n`, 'csv'],
  ] as const) {
    const { file, count, bytes } = await test.indexStore.payloads.store(inPieces(text, 65_521), format);
    t.equal(count, lines.length, format);
    t.equal(fs.statSync(path.join(folder, file)).size, bytes);
    const files = new PayloadFiles(folder);
    const reader = files.reader(file);
    const found = lines.map((_, index) => Buffer.from(reader.document(index)).toString());
    t.ok(
      found.every((document, index) => document === lines[index]),
      `documents of ${format}`,
    );
    files.close();
    fs.rmSync(path.join(folder, file));
  }
  for (const [text, format, message] of [
    [`${lines.join('\n')}\n{"id":1]`, 'ndjson', /line 63 column 8/],
    [`${lines.join('\n')}\n{"id":"\xff`, 'ndjson', /inside a value at line 63/],
    [lines.join('\n').slice(0, -1), 'ndjson', /inside a value at line 62/],
    [`[${lines.join(',')}`, 'json', /inside a value/],
    [`[${lines.join(',')}] ]`, 'json', /white space may follow/],
    [`id\n1\n${'2,"\n'.repeat(10)}`, 'csv', /record 2/],
  ] as const) {
    await t.rejects(
      test.indexStore.payloads.store(inPieces(text, 1 << 20), format),
      { code: 'malformed_payload', message },
      `${message}`,
    );
  }
  const broken = new Error('the sender is gone');
  const ends = async function* () {
    yield Buffer.from(lines.join('\n'));
    throw broken;
  };
  await t.rejects(test.indexStore.payloads.store(ends(), 'ndjson'), broken);
  t.same(fs.readdirSync(folder), [], 'nothing is left of what was refused');
});
