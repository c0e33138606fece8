import t from 'tap';
import { facetsJson } from '../search/federation/facet-counts.js';
import { plainDecimal } from '../search/federation/peers.js';

t.test('keys of numbers are plain decimals', (t) => {
  const numbers: [number, string][] = [
    [10, '10'],
    [1.5, '1.5'],
    [-0, '0'],
    [1e-7, '0.0000001'],
    [-1.25e-9, '-0.00000000125'],
    [1e21, '1000000000000000000000'],
    [-1.234e25, '-12340000000000000000000000'],
    [123456789012, '123456789012'],
  ];
  for (const [value, text] of numbers) t.equal(plainDecimal(value), text);
  t.end();
});

t.test('keys of facets keep their order in JSON', (t) => {
  const json = facetsJson({
    facetDistribution: [
      [
        'a"b',
        [
          ['10', 2],
          ['9', 1],
        ],
      ],
      ['c', []],
    ],
    facetStats: [['a"b', { min: 9, max: 10.5 }]],
  });
  t.equal(json.facetDistribution, '{"a\\"b":{"10":2,"9":1},"c":{}}');
  t.equal(json.facetStats, '{"a\\"b":{"min":9.0,"max":10.5}}');
  t.end();
});
