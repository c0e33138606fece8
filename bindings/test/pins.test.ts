import t from 'tap';
import type { FilterNode } from '../query/filter-ast.js';
import { parseFilter } from '../query/filter-parse.js';
import { alternativesOf, type RuleValue } from '../rules/alternatives.js';
import { placed } from '../rules/pins.js';
import { seededRandom } from './random.js';

/** Naive: fills the places one after the other. */
function naivelyPlaced(organic: string[], pins: { position: number; hit: string }[]): string[] {
  const answer: string[] = [];
  const others = [...organic];
  const left = [...pins];
  while (others.length + left.length > 0) {
    if (left[0] && left[0].position <= answer.length) answer.push(left.shift()!.hit);
    else answer.push(others.length > 0 ? others.shift()! : left.shift()!.hit);
  }
  return answer;
}

t.test('pins are at their positions, pins beyond the end move up', (t) => {
  const seed = 11;
  t.comment(`seed ${seed}`);
  const random = seededRandom(seed);
  for (let round = 0; round < 500; round++) {
    const organic = Array.from({ length: random.int(8) }, (_, i) => `o${i}`);
    const pins = Array.from({ length: random.int(6) }, (_, i) => ({ position: random.int(12), hit: `p${i}` }));
    pins.sort((a, b) => a.position - b.position);
    t.same([...placed(organic, pins)], naivelyPlaced(organic, pins));
  }
  t.same(
    [
      ...placed(
        ['o1', 'o2'],
        [10, 20].map((position) => ({ position, hit: `p${position}` })),
      ),
    ],
    ['o1', 'o2', 'p10', 'p20'],
  );
  t.end();
});

/** Naive: whether some alternative of the filter has a condition on each field, and none that contradicts its value. */
function applies(values: Record<string, RuleValue>, filter: string): boolean {
  const compare = {
    equal: (value: RuleValue, operand: string) =>
      String(value).toLowerCase() === operand.toLowerCase() || value === Number(operand),
  };
  return alternativesOf(parseFilter(filter, 'invalid_search_filter') as FilterNode).some((alternative) =>
    Object.entries(values).every(([name, value]) => {
      const literals = alternative.filter(({ field }) => field === name);
      return literals.length > 0 && literals.every((literal) => literal.holds(value, compare));
    }),
  );
}

t.test('values of a rule are compared with the alternatives of a filter', (t) => {
  const genre = { genre: 'action' };
  const both = { genre: 'action', series: 'batman' };
  const size = { size: 5 };
  const cases: [values: Record<string, RuleValue>, filter: string, expected: boolean][] = [
    [genre, 'genre = Action', true],
    [genre, 'genre = action AND series = x', true],
    [genre, 'genre = action OR series = x', true],
    [genre, 'series = x', false],
    [genre, 'genre = action AND genre = drama', false],
    [genre, 'genre IN [drama, action]', true],
    [genre, 'genre NOT IN [drama, comedy]', true],
    [genre, 'NOT genre IN [drama, action]', false],
    [genre, 'genre != drama', true],
    [genre, 'NOT genre = action', false],
    [genre, 'NOT (genre = drama OR series = x)', true],
    [genre, 'genre EXISTS', true],
    [genre, 'genre NOT EXISTS', false],
    [genre, 'genre IS NULL', false],
    [genre, 'genre IS NOT EMPTY', false],
    [genre, 'genre STARTS WITH act', false],
    [both, 'genre = action AND series = batman', true],
    [both, 'genre = action OR series = batman', false],
    [both, 'genre = action', false],
    [size, 'size > 4', true],
    [size, 'size 1 TO 5', true],
    [size, 'size 1 TO 4', false],
    [size, 'NOT size 1 TO 4', true],
    [size, 'NOT size >= 5', false],
    [size, 'size > ""', false],
    [size, '_geoRadius(1, 2, 3) AND size = 5', true],
  ];
  for (const [values, filter, expected] of cases)
    t.equal(applies(values, filter), expected, `${JSON.stringify(values)} ${filter}`);
  t.end();
});

t.test('a filter with too many alternatives matches no rule', (t) => {
  const pair = (i: number) => `(a = ${i} OR b = ${i})`;
  const filter = (count: number) => Array.from({ length: count }, (_, i) => pair(i)).join(' AND ');
  t.equal(alternativesOf(parseFilter(filter(6), 'invalid_search_filter') as FilterNode).length, 64);
  t.same(alternativesOf(parseFilter(filter(30), 'invalid_search_filter') as FilterNode), []);
  t.end();
});
