import t from 'tap';
import type { EngineInstance } from '../../bindings/engine/instance.js';
import { JsonError, PayloadScanner, scanDocuments } from '../../bindings/engine/json.js';
import { loadPlainEngine } from '../../bindings/test/engine.js';
import { type SeededRandom, seededRandom } from '../../bindings/test/random.js';
import { blank, randomJson, randomObject } from './random-json.js';

const SEED = Number(process.env.SEED ?? 41);
const encoder = new TextEncoder();
const engine = loadPlainEngine();

/** Whether a text is accepted as a value in a document. */
function accepts(instance: EngineInstance, bytes: Uint8Array): boolean {
  try {
    scanDocuments(instance, Buffer.concat([encoder.encode('{"value":'), bytes, encoder.encode('}')]), 'json');
    return true;
  } catch (error) {
    if (error instanceof JsonError) return false;
    throw error;
  }
}

/** JSON.parse, but strict about invalid UTF-8, halves of surrogate pairs and numbers outside the range of floats. */
function naiveAccepts(bytes: Uint8Array): boolean {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    JSON.parse(text);
    // Token by token: JSON.parse drops all but the last of repeated members.
    return [...text.matchAll(/"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/g)].every(([token]) => {
      const value: unknown = JSON.parse(token);
      return typeof value === 'string' ? !/\p{Surrogate}/u.test(value) : Number.isFinite(value);
    });
  } catch {
    return false;
  }
}

function failure(text: string, format: 'json' | 'ndjson'): JsonError {
  try {
    scanDocuments(engine, encoder.encode(text), format);
  } catch (error) {
    if (error instanceof JsonError) return error;
    throw error;
  }
  throw new Error(`accepted: ${text}`);
}

t.test('valid and damaged random texts are accepted like JSON.parse does', async (t) => {
  const random = seededRandom(SEED);
  const damage = [...'"\\{}[],:0123456789.eE+-ntrufals \n\u0001x']
    .map((c) => c.charCodeAt(0))
    .concat([0x80, 0xc2, 0xe0, 0xed, 0xff, 0xa0]);
  let refused = 0;
  for (let round = 0; round < 6000; round++) {
    const bytes = encoder.encode(`${randomJson(random, { blanks: true, duplicates: true })}`);
    for (let hits = random.int(3); hits > 0 && bytes.length > 0; hits--) bytes[random.int(bytes.length)] = random.pick(damage);
    const cut = random.int(8) === 0 ? bytes.subarray(0, random.int(bytes.length + 1)) : bytes;
    const expected = naiveAccepts(cut);
    if (!expected) refused++;
    if (accepts(engine, cut) !== expected) {
      t.fail(`seed ${SEED} round ${round}: expected ${expected} for ${JSON.stringify(Buffer.from(cut).toString('latin1'))}`);
      return;
    }
  }
  t.ok(refused > 1000 && refused < 5500, `both kinds were met (${refused} refused)`);
});

t.test('edge cases are accepted or refused', async (t) => {
  const cases: [string, boolean][] = [
    ['"\\ud800"', false],
    ['"\\udc00\\ud800"', false],
    ['"\\ud83e\\udd85"', true],
    ['"\\ud83e\\u0041"', false],
    ['1e308', true],
    ['1e309', false],
    [`${'9'.repeat(309)}`, false],
    [`${'9'.repeat(308)}`, true],
    [`0.${'0'.repeat(400)}1`, true],
    ['-', false],
    ['01', false],
    ['1.', false],
    ['+1', false],
    ['\u00a01', false],
    ['"\t"', false],
    ['', false],
    [`${'['.repeat(511)}${']'.repeat(511)}`, true],
    [`${'['.repeat(512)}${']'.repeat(512)}`, false],
    [`${'{"a":'.repeat(200)}1${'}'.repeat(200)}`, true],
  ];
  for (const [text, expected] of cases) t.equal(accepts(engine, encoder.encode(text)), expected, text.slice(0, 40));
});

t.test('every code point passes, every broken sequence does not', async (t) => {
  for (let point = 0x20; point <= 0x10ffff; point += point < 0x3000 ? 1 : 257) {
    if (point >= 0xd800 && point < 0xe000) continue;
    const text = JSON.stringify(String.fromCodePoint(point));
    if (!accepts(engine, encoder.encode(text))) t.fail(`U+${point.toString(16)} is refused`);
  }
  const random = seededRandom(SEED);
  for (let round = 0; round < 20000; round++) {
    const bytes = Uint8Array.from([
      0x22,
      ...Array.from({ length: 4 }, () => (random.int(2) ? 128 + random.int(128) : 0x61)),
      0x22,
    ]);
    if (accepts(engine, bytes) !== naiveAccepts(bytes)) t.fail(`${Buffer.from(bytes).toString('hex')}`);
  }
});

t.test('documents of payloads are found', async (t) => {
  const random = seededRandom(SEED);
  const shape = { blanks: true, duplicates: true };
  for (let round = 0; round < 300; round++) {
    const documents = Array.from({ length: random.int(20) }, () => randomObject(random, shape));
    const gap = () => blank(random, shape);
    const array = `${gap()}[${gap()}${documents.join(`${gap()},${gap()}`)}${gap()}]${gap()}`;
    const lines = documents.join(random.pick(['\n', '\r\n', '', ' \n\n '])) + gap();
    for (const [format, text] of [
      ['json', array],
      ['ndjson', lines],
    ] as const) {
      const bytes = encoder.encode(text);
      const { count, starts, ends } = scanDocuments(engine, bytes, format);
      const found = Array.from({ length: count }, (_, i) => Buffer.from(bytes.subarray(starts[i], ends[i])).toString());
      t.same(found, documents, `seed ${SEED} round ${round} ${format}`);
    }
  }
  t.equal(scanDocuments(engine, encoder.encode(' {"id":1} '), 'json').count, 1);
  t.equal(scanDocuments(engine, encoder.encode(' \n '), 'ndjson').count, 0);
});

t.test('errors have line and column', async (t) => {
  t.match(failure('[{"a":1},\n 2]', 'json'), { kind: 'not-object', line: 2, column: 2, offset: 11 });
  t.match(failure('3', 'json'), { kind: 'not-object', line: 1, column: 1 });
  t.match(failure('{"a":1}\n{"b" 2}', 'ndjson'), { kind: 'malformed', line: 2, column: 6, reason: "':' was expected" });
  t.match(failure('{"a":1} {"b":2}', 'json'), { kind: 'malformed', reason: 'only white space may follow', column: 9 });
  t.match(failure('{"a":[1,2', 'json'), { kind: 'malformed', reason: 'the text ends inside a value', offset: 9 });
  t.match(failure('', 'json'), { kind: 'malformed' });
  t.match(failure('[1,]', 'json'), { kind: 'not-object' });
  t.match(failure('{"a":1}\n"x"', 'ndjson'), { kind: 'not-object', line: 2 });
});

/** The result of scanning a payload: its documents, or the error and its position. */
function outcome(scan: () => string[]): unknown {
  try {
    return scan();
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    return [error.kind, error.reason, error.offset];
  }
}

/** Scans a payload in chunks with any boundaries. */
function scanInPieces(random: SeededRandom, bytes: Uint8Array, format: 'json' | 'ndjson'): unknown {
  const scanner = new PayloadScanner(engine, format);
  const documents: string[] = [];
  let [from, to] = [0, 0];
  return outcome(() => {
    for (;;) {
      to = Math.min(bytes.length, to + 1 + random.int(30));
      const piece = bytes.subarray(from, to);
      const last = to === bytes.length;
      try {
        const { read, places } = scanner.scan(piece, last);
        for (let i = 0; i < places.length; i += 2)
          documents.push(Buffer.from(piece.subarray(places[i], places[i + 1])).toString());
        from += read;
      } catch (error) {
        if (error instanceof JsonError) throw new JsonError(error.kind, error.reason, from + error.offset, 0, 0);
        throw error;
      }
      if (last) return documents;
    }
  });
}

t.test('a payload scanned in chunks gives the result of the whole', async (t) => {
  const random = seededRandom(SEED);
  const shape = { blanks: true, duplicates: true };
  const damage = [...'"\\{}[],:0.e-n \n\u0001x'].map((c) => c.charCodeAt(0)).concat([0x80, 0xc2, 0xe0, 0xff]);
  let refused = 0;
  for (let round = 0; round < 1500; round++) {
    const documents = Array.from({ length: random.int(8) }, () => randomObject(random, shape));
    const format = random.pick(['json', 'ndjson'] as const);
    const gap = () => blank(random, shape);
    const text = format === 'ndjson' ? documents.join('\n') : `${gap()}[${documents.join(`${gap()},`)}${gap()}]${gap()}`;
    const whole = encoder.encode(random.int(9) ? text : `${documents[0] ?? ''}${gap()}`);
    for (let hits = random.int(2); hits > 0 && whole.length > 0; hits--) whole[random.int(whole.length)] = random.pick(damage);
    const bytes = random.int(5) === 0 ? whole.subarray(0, random.int(whole.length + 1)) : whole;
    const expected = outcome(() => {
      const { count, starts, ends } = scanDocuments(engine, bytes, format);
      return Array.from({ length: count }, (_, i) => Buffer.from(bytes.subarray(starts[i], ends[i])).toString());
    });
    if (typeof (expected as unknown[])[2] === 'number') refused++;
    t.same(scanInPieces(random, bytes, format), expected, `seed ${SEED} round ${round} ${format}`);
  }
  t.ok(refused > 100, `both kinds were met (${refused} refused)`);
});
