import t from 'tap';
import { KnownTexts } from '../query/known-texts.js';
import { leadingQuery, Query } from '../query/query.js';
import { seededRandom } from './random.js';

/** Queries as they are read from bodies, compared with what JSON.parse gives. */

const ROUNDS = 4000;
const PARTS = ['a', 'box', ' ', '  ', '-', '"', '\\', '/', '\n', '\t', '\u0000', 'é', '中', '\u00a0', '😀', '-x', '7'];
const BLANKS = ['', '', '', ' ', '\n', '\t ', '\r'];

const encoder = new TextEncoder();
const decoder = new TextDecoder();
const random = seededRandom(11);

/** JSON of a text, in one of the ways in which it may be escaped. */
function jsonOf(text: string): string {
  if (random.int(3) > 0) return JSON.stringify(text);
  const escaped = text.split('').map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
  const isPaired = /[\ud800-\udfff]/.test(text);
  const units = text
    .split('')
    .map((unit, at) => (!isPaired && random.int(2) === 0 ? JSON.stringify(unit).slice(1, -1).replace('/', '\\/') : escaped[at]));
  return `"${units.join('')}"`;
}

function written(query: Query): string {
  const bytes = new Uint8Array(query.mostBytes);
  return decoder.decode(bytes.subarray(0, query.write(bytes, 0)));
}

t.test('a query is what its JSON says', async (t) => {
  for (let round = 0; round < ROUNDS; round++) {
    const text = Array.from({ length: random.int(6) }, () => random.pick(PARTS)).join('');
    const blank = () => random.pick(BLANKS);
    const begin = `${blank()}{${blank()}"q"${blank()}:${blank()}${jsonOf(text)}`;
    const found = leadingQuery(encoder.encode(`${begin}${blank()},"limit":1}`));
    const terms = text.split(/\s+/).filter(Boolean);
    const expected = [text, text, text.trim() === '', terms.length, /(?:^|\s)-\S/.test(text), encoder.encode(begin).length];
    // written before its text is asked for
    const facts = ({ isBlank, terms: { count, excludes } }: Query) => [isBlank, count, excludes];
    const read = found && [written(found.query), ...facts(found.query)];
    const given = [found?.query.text, read?.[0], ...(read?.slice(1) ?? []), found?.end];
    if (String(given) !== String(expected)) t.same(given, expected, begin);
    const made = Query.of(text);
    const remade = [written(made), ...facts(made)];
    if (String(remade) !== String(expected.slice(1, -1))) t.same(remade, expected.slice(1, -1), text);
  }
});

t.test('other bodies have no leading query', async (t) => {
  for (const body of [
    '',
    '{',
    '{}',
    '[]',
    '{"q"',
    '{"q":',
    '{"q":null}',
    '{"q":7}',
    '{"q":"a',
    '{"q":"a\\',
    '{"q":"\\x"}',
    '{"p":"a"}',
  ]) {
    t.equal(leadingQuery(encoder.encode(body)), null, body);
  }
  for (const body of ['{" q":"a"}', '{"q ":"a"}', '{"q":"a\nb"}', '{"q":"\\ud800"}', '{,"q":"a"}', '{"\\u0071":"a"}']) {
    t.equal(leadingQuery(encoder.encode(body)), null, body);
  }
  const bytes = encoder.encode('{"q":"aXb"}');
  bytes[bytes.indexOf(0x58)] = 0xe9;
  t.equal(leadingQuery(bytes), null, 'no UTF-8');
  t.equal(Query.of(null).text, null);
  t.ok(Query.of(null).isBlank);
});

t.test('known texts are those of the bytes', async (t) => {
  const texts = new KnownTexts();
  for (let round = 0; round < ROUNDS; round++) {
    const text = `${random.pick(PARTS)}${random.int(300)}${random.pick(PARTS)}`;
    const bytes = encoder.encode(`--${text}-`);
    if (texts.textOf(bytes, 2, bytes.length - 1) !== text) t.fail(text);
  }
  texts.textOf(encoder.encode('é'), 0, 2);
  t.throws(() => texts.textOf(Uint8Array.of(0xe9, 0x21), 0, 2), TypeError);
});
