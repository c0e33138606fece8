import t from 'tap';
import { completeSettings, type SentSettings } from '../../test/oracle/settings.js';
import { checkFacetName, checkFacetSearchEnabled } from '../format/facet-search.js';
import { checkDistinct } from '../query/distinct.js';
import { checkFilter, checkFilterGates } from '../query/filter-check.js';
import { parseFilter } from '../query/filter-parse.js';
import { filterableFeatures, isFilterable } from '../query/filterable.js';
import { checkSearchSort, parseSort, type SortItem } from '../query/sort.js';
import { refusal } from './refusal.js';

const rule = (patterns: string[], equality: boolean, comparison: boolean, facetSearch = false) => ({
  attributePatterns: patterns,
  features: { facetSearch, filter: { equality, comparison } },
});

const RULES: SentSettings = {
  filterableAttributes: [
    rule(['spec.a*'], false, false),
    rule(['spec.*'], true, false),
    rule(['price'], false, true),
    rule(['*_tag'], true, true),
    rule(['label'], false, false, true),
    'plain',
  ],
};

t.test('the first matching rule of filterableAttributes decides', (t) => {
  const settings = completeSettings(RULES);
  const rules: [string, number | null][] = [
    ['spec.age', 0],
    ['spec.name', 1],
    ['spec', null],
    ['price', 2],
    ['price.net', null],
    ['main_tag', 3],
    ['label', 4],
    ['plain', 5],
    ['plain.sub', 5],
    ['plainer', null],
  ];
  for (const [path, number] of rules) t.equal(filterableFeatures(settings, path)?.rule ?? null, number, path);
  t.notOk(isFilterable(settings, 'spec.age'));
  t.notOk(isFilterable(settings, 'label'));
  t.ok(isFilterable(settings, 'price'));
  t.end();
});

/** Filter, code (null: valid), and a part of the first line of the message. */
const CHECKS: [filter: string, code: string | null, message?: RegExp][] = [
  ['spec.name = x AND spec.name != y AND spec.name IN [z]', null],
  ['spec.name EXISTS AND spec.name IS NULL AND spec.name STARTS WITH a AND spec.name CONTAINS b', null],
  ['price > 1 AND price 1 TO 2', null],
  ['plain.sub = 1', null],
  [
    'spec.name > x',
    'invalid_search_filter',
    /operator `>` is not allowed for the attribute `spec.name`.*`=`, `!=`, `IN`.*rule #1/,
  ],
  ['price IN [1]', 'invalid_search_filter', /operator `=` .*`price`.*`<`, `<=`.*rule #2/],
  ['price 1 TO 2 AND price = 1', 'invalid_search_filter', /operator `=`/],
  ['spec.name 1 TO 2', 'invalid_search_filter', /operator `TO`/],
  [
    'spec.age EXISTS',
    'invalid_document_filter',
    /Index `toys`: Attribute `spec.age` is not filterable. Filterable attributes: `\*_tag`, `plain`, `price`, `spec.\*`/,
  ],
  ['Plain = 1', 'invalid_document_filter', /`Plain` is not filterable/],
  ['NOT (plain = 1 OR (other EXISTS))', 'invalid_document_filter', /`other`/],
  ['_geoRadius(1, 2, 3)', 'invalid_document_filter', /`_geo\/_geojson` is not filterable/],
  ['_geoPolygon([1, 2], [3, 4], [5, 6])', 'invalid_document_filter', /`_geojson` is not filterable/],
  ['_vectors EXISTS', null],
  ['_vectors.m EXISTS', 'invalid_document_filter', /embedder `m`/],
  ['_foreign(plain, a = 1)', 'invalid_search_filter', /`plain` is not a foreign key/],
  ['_shard = a', 'invalid_document_filter', /No such shard/],
  ['_shard EXISTS', 'invalid_document_filter', /only be used with `=`, `!=` and `IN`/],
];

t.test('forbidden attributes and operators are refused', (t) => {
  const settings = completeSettings(RULES);
  for (const [text, code, message] of CHECKS) {
    const filter = parseFilter(text, 'invalid_document_filter');
    if (!filter) throw new Error(text);
    const check = () => checkFilter(filter, settings, 'toys', 'invalid_document_filter');
    if (code === null) {
      t.doesNotThrow(check, text);
      continue;
    }
    const error = refusal(check);
    t.equal(error.code, code, text);
    t.match(error.message.split('\n')[0], message ?? / /, text);
    t.match(error.message.split('\n')[1], text, text);
  }
  t.end();
});

t.test('an index without filterable attributes refuses filters', (t) => {
  const filter = parseFilter('a = 1', 'x');
  t.match(refusal(() => filter && checkFilter(filter, completeSettings({}), 'toys', 'x')).message, /no filterable attributes/);
  t.end();
});

t.test('coordinates out of range are refused', (t) => {
  const settings = completeSettings({ filterableAttributes: ['_geo', '_geojson'] });
  const check = (text: string) => () => {
    const filter = parseFilter(text, 'x');
    if (filter) checkFilter(filter, settings, 'toys', 'x');
  };
  for (const text of [
    '_geoRadius(90, -180, -5, 3)',
    '_geoBoundingBox([90, 180], [-90, -180])',
    '_geoBoundingBox([1, 2], [1, 3])',
    '_geoPolygon([0, 0], [0, 180], [90, 0])',
  ]) {
    t.doesNotThrow(check(text), text);
  }
  const refused: [string, RegExp][] = [
    ['_geoRadius(90.1, 0, 1)', /latitude `90.1`.*-90 and 90\.\n12:16 /],
    ['_geoRadius(0, -181, 1)', /longitude `-181`.*-180 and 180\.\n15:19 /],
    ['_geoRadius(0, 0, 1, 2)', /resolution `2`.*3 and 1000/],
    ['_geoRadius(0, 0, 1, 1001)', /resolution/],
    ['_geoBoundingBox([1, 0], [2, 0])', /top latitude `1` .* below its bottom latitude `2`/],
    ['_geoBoundingBox([91, 0], [2, 0])', /latitude/],
    ['_geoPolygon([0, 0], [0, 181], [90, 0])', /longitude/],
  ];
  for (const [text, message] of refused) t.match(refusal(check(text)).message, message, text);
  t.end();
});

t.test('parts of the filter language require features', (t) => {
  const gates: [string, string][] = [
    ['a CONTAINS b', 'containsFilter'],
    ['NOT (a = 1 OR a NOT CONTAINS b)', 'containsFilter'],
    ['_vectors EXISTS', 'multimodal'],
    ['_foreign(a, b = 1)', 'foreignKeys'],
    ['_shard = a', 'network'],
  ];
  for (const [text, feature] of gates) {
    const filter = parseFilter(text, 'x');
    if (!filter) throw new Error(text);
    const error = refusal(() => checkFilterGates(filter, {}));
    t.equal(error.code, 'feature_not_enabled', text);
    t.match(error.message, feature, text);
    t.doesNotThrow(() => checkFilterGates(filter, { [feature]: true }), text);
  }
  const free = parseFilter('a STARTS WITH b AND "_shard" EXISTS AND "_shard" = x', 'x');
  t.doesNotThrow(() => free && checkFilterGates(free, {}));
  t.end();
});

const SORTS: [item: string, parsed: SortItem][] = [
  ['a:asc', { kind: 'field', path: 'a', ascending: true }],
  ['a:b:desc', { kind: 'field', path: 'a:b', ascending: false }],
  [' a :asc', { kind: 'field', path: ' a ', ascending: true }],
  ['_geoPoint(1,-2.5):asc', { kind: 'geo', lat: 1, lng: -2.5, ascending: true }],
  ['_geoPoint( 1e1 , +2 ):desc', { kind: 'geo', lat: 10, lng: 2, ascending: false }],
];
const BAD_SORTS = [
  ...[
    'a',
    'a:',
    'a:up',
    'a:ASC',
    ':asc',
    '',
    'asc',
    'a: asc',
    'a:asc ',
    '_geo:asc',
    '_geoDistance:asc',
    '_geoPoint:asc',
    '_geo(0, 0):asc',
  ],
  ...[
    '_geoRadius(0, 0, 1):asc',
    '_geoBoundingBox([1, 1], [0, 0]):asc',
    '_geoPoint(0, 0)',
    '_geoPoint(0):asc',
    '_geoPoint(0, 0, 0):asc',
  ],
  ...['_geoPoint(a, b):asc', '_geoPoint(0, 0):near', '_geoPoint(91, 0):asc', '_geoPoint(0, -180.5):desc', '_geoPoint(,):asc'],
];

t.test('items of sort are parsed', (t) => {
  for (const [item, parsed] of SORTS) t.same(parseSort([item], 'invalid_search_sort'), [parsed], item);
  for (const item of BAD_SORTS)
    t.equal(refusal(() => parseSort([item], 'invalid_document_sort')).code, 'invalid_document_sort', item);
  t.end();
});

t.test('only sortable attributes can be sorted by', (t) => {
  const settings = completeSettings({ sortableAttributes: ['size', 'dims', 'secret'], displayedAttributes: ['size', 'dims'] });
  const check = (item: string, own = settings) => checkSearchSort(parseSort([item], 'invalid_search_sort'), own);
  for (const item of ['size:asc', 'dims:asc', 'dims.h:desc', 'secret:asc']) t.doesNotThrow(() => check(item), item);
  const error = refusal(() => check('name:asc'));
  t.equal(error.code, 'invalid_search_sort');
  t.match(error.message, /`name` is not sortable. Sortable attributes: `size`, `dims`, <..hidden-attributes>/);
  t.match(refusal(() => check('dimsy:asc')).message, /`dimsy`/);
  t.match(refusal(() => check('_geoPoint(1, 2):asc')).message, /`_geo` is not sortable/);
  t.match(refusal(() => check('a:asc', completeSettings({}))).message, /no sortable attributes/);
  const unsorted = completeSettings({ sortableAttributes: ['size'], rankingRules: ['words'] });
  t.match(refusal(() => check('size:asc', unsorted)).message, /must contain `sort`/);
  t.doesNotThrow(() => checkSearchSort([], unsorted));
  t.end();
});

t.test('only filterable attributes can be distinct or facets', (t) => {
  const settings = completeSettings({ ...RULES, displayedAttributes: ['price', 'plain'] });
  t.doesNotThrow(() => checkDistinct('price', settings));
  const distinct = refusal(() => checkDistinct('label', settings));
  t.equal(distinct.code, 'invalid_search_distinct');
  t.match(distinct.message, /`label`.*`plain`, `price`, <..hidden-attributes>.*rule #4/);
  t.doesNotThrow(() => checkFacetName(settings, 'label'));
  t.doesNotThrow(() => checkFacetName(settings, 'plain.sub'));
  const facet = refusal(() => checkFacetName(settings, 'price'));
  t.equal(facet.code, 'invalid_facet_search_facet_name');
  t.match(facet.message, /`price`.*`plain`, <..hidden-attributes>.*rule #2/);
  t.equal(refusal(() => checkFacetSearchEnabled({ ...settings, facetSearch: false })).code, 'facet_search_disabled');
  t.end();
});
