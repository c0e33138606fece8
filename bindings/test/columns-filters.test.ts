import t from 'tap';
import { checkFilter } from '../query/filter-check.js';
import { evaluateFilter } from '../query/filter-evaluate.js';
import { parseFilter } from '../query/filter-parse.js';
import { randomCase, slotsOf } from './column-case.js';
import { CODE, INDEXES, SEED, SETTINGS } from './columns-support.js';
import { naiveNormalize, randomFilter } from './naive-columns.js';
import { seededRandom } from './random.js';

/** Random filters per index. */
const FILTERS = 40;

t.comment(`seed ${SEED}`);

t.test('filters agree with testing every document', (t) => {
  const random = seededRandom(SEED);
  for (let i = 0; i < INDEXES; i++) {
    const { index, alive } = randomCase(random, SETTINGS);
    index.read((reader) => {
      for (let k = 0; k < FILTERS; k++) {
        const { text, accepts } = randomFilter(random, 2, new Set(reader.view.fields));
        const filter = parseFilter(text, CODE);
        if (!filter) throw new Error(`no filter: ${text}`);
        checkFilter(filter, SETTINGS, 'case', CODE);
        const found = slotsOf(reader, evaluateFilter(reader, filter));
        const expected = alive.filter(({ document }) => accepts(document)).map(({ slot }) => slot);
        if (String(found) !== String(expected)) t.same(found, expected, `index ${i}: ${text}`);
      }
    });
  }
  t.pass(`${INDEXES * FILTERS} filters`);
  t.end();
});

t.test('a filter cut by the deadline never selects a wrong document', (t) => {
  const random = seededRandom(SEED + 9);
  let cut = 0;
  for (let i = 0; i < INDEXES; i++) {
    const { index } = randomCase(random, SETTINGS);
    index.read((reader) => {
      for (let k = 0; k < 10; k++) {
        const known = new Set(reader.view.fields);
        const part = () =>
          `(${Array.from({ length: 12 }, () => randomFilter(random, 3, known).text).join(random.pick([' AND ', ' OR ']))})`;
        const text = `${part()} OR NOT ${part()} OR NOT (${part()} AND NOT ${part()})`;
        const filter = parseFilter(text, CODE);
        if (!filter) throw new Error(`no filter: ${text}`);
        const whole = new Set(slotsOf(reader, evaluateFilter(reader, filter)));
        let isTimedOut = false;
        const onTimeout = () => {
          isTimedOut = true;
        };
        const found = slotsOf(reader, evaluateFilter(reader, filter, { deadline: Number.NEGATIVE_INFINITY, onTimeout }));
        if (isTimedOut) cut++;
        if (!found.every((slot) => whole.has(slot))) t.fail(`index ${i}: selects too much: ${text}`);
        if (found.length < whole.size && !isTimedOut) t.fail(`index ${i}: does not say that documents are missing: ${text}`);
      }
    });
  }
  t.ok(cut > INDEXES, `${cut} filters were cut`);
  t.end();
});

t.test('the naive normalization, by an example', (t) => {
  t.equal(naiveNormalize(' ÉﬁN '), 'e\u0301fin');
  t.end();
});
