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

const floats = new Float64Array(1);
const words = new Uint32Array(floats.buffer);

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
    // halfway between two floats, and one digit beside it
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
  }
  t.pass(`${rounds} literals`);
});

t.test('the examples of the rule', async (t) => {
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
