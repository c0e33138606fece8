import t from 'tap';
import { compactJson, documentKey, topLevelNames } from '../../bindings/engine/json.js';
import { loadPlainEngine } from '../../bindings/test/engine.js';
import { seededRandom } from '../../bindings/test/random.js';
import { randomJson, randomObject } from './random-json.js';

const SEED = Number(process.env.SEED ?? 43);
const bytes = (text: string) => new TextEncoder().encode(text);
const text = (from: Uint8Array) => new TextDecoder().decode(from);
const engine = loadPlainEngine();

/** Numbers keep their text, so that the comparison sees every digit. */
const quoteNumbers = (json: string) =>
  json.replace(/("(?:[^"\\]|\\.)*")|(-?\d[\d.eE+-]*)/g, (_, string, number) => string ?? `"#${number}"`);
const read = (json: string) => JSON.parse(quoteNumbers(json));

t.test('compact JSON has the same values, without repeated members', async (t) => {
  const random = seededRandom(SEED);
  for (let round = 0; round < 3000; round++) {
    const json = randomJson(random, { blanks: true, duplicates: true });
    const compact = text(compactJson(engine, bytes(json)));
    t.same(read(compact), read(json), `seed ${SEED} round ${round}: ${json}`);
    // shortest form: reading and writing with quoted numbers changes neither white space nor the number of members
    const again = JSON.stringify(read(compact)).length;
    const expected = JSON.stringify(read(json)).length;
    if (again !== expected) t.fail(`seed ${SEED} round ${round}: ${compact}`);
    if (/^\s|\s$/.test(compact)) t.fail('white space is left');
  }
  t.equal(
    text(compactJson(engine, bytes(' { "a" : 1.0 , "b" : [ 1 , { "c" : "x y" } ] , "a" : 2 } '))),
    '{"a":2,"b":[1,{"c":"x y"}]}',
  );
});

t.test('merging keeps members and bytes', async (t) => {
  const random = seededRandom(SEED);
  const shape = { blanks: true, duplicates: true };
  for (let round = 0; round < 2000; round++) {
    const old = randomObject(random, shape);
    const fresh = randomObject(random, shape);
    const merged = text(compactJson(engine, bytes(fresh), bytes(old)));
    t.same(read(merged), { ...read(old), ...read(fresh) }, `seed ${SEED} round ${round}: ${old} + ${fresh}`);
  }
  t.equal(
    text(compactJson(engine, bytes('{"a":{"x":9},"n":null}'), bytes('{"id":1,"a":{"x":1},"t":10.0}'))),
    '{"id":1,"a":{"x":9},"t":10.0,"n":null}',
  );
  const many = Object.fromEntries(Array.from({ length: 500 }, (_, i) => [`member ${i}`, `#${i}`]));
  t.same(JSON.parse(text(compactJson(engine, bytes('{"member 7":"x"}'), bytes(JSON.stringify(many))))), {
    ...many,
    'member 7': 'x',
  });
});

t.test('names of members are listed', async (t) => {
  const random = seededRandom(SEED);
  for (let round = 0; round < 500; round++) {
    const json = randomObject(random, { blanks: true, duplicates: true });
    const names = topLevelNames(engine, bytes(json));
    t.same([...names].sort(), Object.keys(JSON.parse(json)).sort(), `seed ${SEED} round ${round}: ${json}`);
  }
});

t.test('document keys are found and validated', async (t) => {
  const key = (json: string, path = 'id') => {
    const found = documentKey(engine, bytes(json), path);
    return found.kind === 'ok' ? text(found.key) : found.kind === 'invalid' ? `! ${found.value}` : undefined;
  };
  t.equal(key('{"id":1}'), '1');
  t.equal(key('{"id":"1"}'), '1');
  t.equal(key('{ "x": {"id":3}, "id" : -5 }'), '-5');
  t.equal(key('{"id":18446744073709551615}'), '18446744073709551615');
  t.equal(key('{"id":"a-B_9"}'), 'a-B_9');
  t.equal(key('{"id":"\\u0061"}'), 'a');
  t.equal(key('{"\\u0069d":7}'), '7');
  t.equal(key(`{"id":"${'x'.repeat(511)}"}`), 'x'.repeat(511));
  t.equal(key('{"id":1,"id":2}'), '2', 'the last of two members');
  t.equal(key('{"x":1}'), undefined);
  t.equal(key('{}'), undefined);
  for (const bad of [
    '1.0',
    '1e2',
    '18446744073709551616',
    '-0',
    'true',
    'null',
    '{}',
    '[1]',
    '""',
    '"a b"',
    '"é"',
    `"${'x'.repeat(512)}"`,
  ]) {
    t.equal(key(`{"id":${bad}}`), `! ${bad}`);
  }
  t.equal(key('{"a":{"b":1}}', 'a.b'), '1');
  t.equal(key('{"a.b":1}', 'a.b'), '1');
  t.equal(key('{"a.b":{"c":1}}', 'a.b.c'), '1');
  t.equal(key('{"a":{"b.c":1}}', 'a.b.c'), '1');
  t.equal(key('{"a":{"b":{"c":1}}}', 'a.b.c'), '1');
  t.equal(key('{"a":{"b":1},"a.b":2}', 'a.b')?.[0], '!', 'two members for one path');
  t.equal(key('{"a":1}', 'a.b'), undefined);
  t.equal(key('{"a":{"c":1}}', 'a.b'), undefined);
});
