import t from 'tap';
import { loadKernels } from '../../bindings/test/engine.js';
import { seededRandom } from '../../bindings/test/random.js';
import { literalText } from './naive-indexer.js';

const SEED = Number(process.env.SEED ?? 42);
const engine = loadKernels();

const parse = (literal: string) =>
  engine.scoped(() => {
    const { pointer, length } = engine.putText(literal);
    return engine.exports.parseNumber(pointer, length);
  });
const text = (literal: string) =>
  engine.scoped(() => {
    const { pointer, length } = engine.putText(literal);
    const out = engine.alloc(length + 32);
    return engine.text(out, engine.exports.numberText(pointer, length, out));
  });

/** The two forms in which answers show a number. */
const shown = (value: number) =>
  engine.scoped(() => {
    const out = engine.alloc(SHOWN_ROOM);
    return [
      engine.text(out, engine.exports.plainDecimal(value, out)),
      engine.text(out, engine.exports.quantityText(value, out)),
    ] as const;
  });
/** The longest has 324 zeros before 17 digits. */
const SHOWN_ROOM = 352;

const floats = new Float64Array(1);
const words = new Uint32Array(floats.buffer);

/** The significant digits of a number. */
const digitsOf = (text: string) =>
  text
    .replace(/e.*|^-/g, '')
    .replace('.', '')
    .replace(/^0+|0+$/g, '');

t.test('random literals are read and written as JavaScript does', async (t) => {
  const random = seededRandom(SEED);
  const digits = (n: number) => Array.from({ length: n }, () => random.int(10)).join('');
  const literals: (() => string)[] = [
    () => String(random.int(1 << 30) / 2 ** random.int(40)),
    () => `${random.int(1000)}.${digits(1 + random.int(25))}`,
    () => `-${random.int(10)}.${digits(1 + random.int(5))}`,
    () => `${1 + random.int(9)}${digits(random.int(30))}`,
    () => `${1 + random.int(9)}.${digits(1 + random.int(20))}e${random.int(640) - 330}`,
    () => `${1 + random.int(9)}${digits(random.int(20))}E+${random.int(280)}`,
    () => `0.${'0'.repeat(random.int(320))}${digits(1 + random.int(18))}`,
    () => {
      do {
        words[0] = (random.int(65536) << 16) | random.int(65536);
        words[1] = (random.int(65536) << 16) | random.int(65536);
      } while (!Number.isFinite(floats[0]));
      return String(floats[0]);
    },
    // halfway between two floats, and one digit more or less
    () =>
      `${(2n ** BigInt(53 + random.int(60)) + 2n ** BigInt(random.int(8))).toString()}${random.pick(['.0', '.5', '', '.00000000000000000000000001'])}`,
    () => `${digits(1).replace('0', '1')}${digits(900)}e-${600 + random.int(600)}`,
  ];
  const rounds = 30000;
  for (let round = 0; round < rounds; round++) {
    const literal = random.pick(literals)();
    const value = Number(literal);
    if (!Object.is(parse(literal), value)) t.fail(`seed ${SEED} round ${round}: ${literal} is read as ${parse(literal)}`);
    if (Number.isFinite(value) && text(literal) !== literalText(literal)) {
      t.fail(`seed ${SEED} round ${round}: ${literal} is written as ${text(literal)}, not ${literalText(literal)}`);
    }
    if (!Number.isFinite(value)) continue;
    const [plain, quantity] = shown(value);
    if (!/^-?\d+(\.\d*[1-9])?$/.test(plain) || Number(plain) !== value || digitsOf(plain) !== digitsOf(String(value))) {
      t.fail(`seed ${SEED} round ${round}: ${literal} is shown as ${plain}`);
    }
    const expected = Number.isInteger(value) && Math.abs(value) < 1e21 ? `${value}.0` : String(value);
    if (quantity !== expected) t.fail(`seed ${SEED} round ${round}: ${literal} is shown as ${quantity}, not ${expected}`);
  }
  t.pass(`${rounds} literals`);
});

t.test('numbers are printed as in answers', async (t) => {
  const examples: [number, plain: string, quantity: string][] = [
    [0, '0', '0.0'],
    [-0, '0', '0.0'],
    [10, '10', '10.0'],
    [1.5, '1.5', '1.5'],
    [-1.25e-9, '-0.00000000125', '-1.25e-9'],
    [0.000001, '0.000001', '0.000001'],
    [1e-7, '0.0000001', '1e-7'],
    [123456789012, '123456789012', '123456789012.0'],
    [1e21, '1000000000000000000000', '1e+21'],
    [-1.234e25, '-12340000000000000000000000', '-1.234e+25'],
  ];
  for (const [value, ...expected] of examples) t.same(shown(value), expected, String(value));
});

t.test('the documented examples of number keys', async (t) => {
  const examples: [string, string][] = [
    ['10', '10'],
    ['10.0', '10.0'],
    ['1.50', '1.5'],
    ['1e3', '1000.0'],
    ['0.00001', '0.00001'],
    ['0.000001', '1e-6'],
    ['1e16', '1e+16'],
    ['18446744073709551615', '18446744073709551615'],
    ['18446744073709551616', '1.8446744073709552e+19'],
    ['-9223372036854775808', '-9223372036854775808'],
    ['-9223372036854775809', '-9.223372036854776e+18'],
    ['-0', '-0.0'],
    ['0.0', '0.0'],
    ['-0.50', '-0.5'],
    ['5e-324', '5e-324'],
    ['2.2250738585072014e-308', '2.2250738585072014e-308'],
    ['9007199254740993.0', '9007199254740992.0'],
    ['1.7976931348623157e308', '1.7976931348623157e+308'],
  ];
  for (const [literal, expected] of examples) t.equal(text(literal), expected, literal);
  t.equal(parse('1e400'), Infinity);
  t.equal(parse('1e-400'), 0);
});
