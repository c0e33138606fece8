import t from 'tap';
import type { FilterNode, GeoPoint } from '../query/filter-ast.js';
import { parseFilter } from '../query/filter-parse.js';
import { refusal } from './refusal.js';

const CODE = 'invalid_search_filter';

/** A tree as a text: `(and …)`, conditions as they are read. */
function show(node: FilterNode | null): string {
  if (node === null) return 'none';
  const point = ({ lat, lng }: GeoPoint) => `[${lat.value} ${lng.value}]`;
  switch (node.kind) {
    case 'and':
    case 'or':
      return `(${node.kind} ${node.items.map(show).join(' ')})`;
    case 'not':
      return `(not ${show(node.item)})`;
    case 'field': {
      const values = node.values.map(({ text }) => text);
      return `{${node.field.text} ${node.operator}${values.length > 0 ? ` ${values.join('|')}` : ''}}`;
    }
    case 'radius':
      return `{radius ${point(node.center)} ${node.metres} ${node.resolution?.value ?? '-'}}`;
    case 'box':
      return `{box ${point(node.topRight)} ${point(node.bottomLeft)}}`;
    case 'polygon':
      return `{polygon ${node.points.map(point).join(' ')}}`;
    case 'vectors':
      return `{vectors ${node.path.embedder ?? '-'} ${JSON.stringify(node.path.detail)}}`;
    case 'foreign':
      return `{foreign ${node.field.text} ${show(node.filter)}}`;
  }
}

const refused = (filter: unknown) => refusal(() => parseFilter(filter, CODE));

const ACCEPTED: [filter: unknown, tree: string][] = [
  [null, 'none'],
  [undefined, 'none'],
  ['', 'none'],
  [' \t\n', 'none'],
  [[], 'none'],
  [[[], '', [' ']], 'none'],
  ['a=1', '{a = 1}'],
  [' a\u00a0!=\r\n1 ', '{a != 1}'],
  ['a>1', '{a > 1}'],
  ['a >=1', '{a >= 1}'],
  ['a< 1', '{a < 1}'],
  ['a <= -1.5e3', '{a <= -1.5e3}'],
  ['a.b-c_d = 2024-05-01', '{a.b-c_d = 2024-05-01}'],
  ['größe = Äpfel', '{größe = Äpfel}'],
  ['"a b" = \'27" to 30\\\'\'', '{a b = 27" to 30\'}'],
  ["a = ''", '{a = }'],
  ['a = "\\b\\f\\n\\r\\t\\\'\\"\\\\\\/"', '{a = \b\f\n\r\t\'"\\/}'],
  ['a = "\\u0041\\u{1F600}\\x42\\103\\7"', '{a = A😀BC\u0007}'],
  ['a = "\\ud83d\\ude00"', '{a = 😀}'],
  ['a = "AND"', '{a = AND}'],
  ['a = and', '{a = and}'],
  ['"OR" EXISTS', '{OR EXISTS}'],
  ['a IN[]', '{a IN}'],
  ['a IN [ x , "y, z",]', '{a IN x|y, z}'],
  ['a  NOT  IN[x]', '(not {a IN x})'],
  ['a EXISTS', '{a EXISTS}'],
  ['a NOT   EXISTS', '(not {a EXISTS})'],
  ['a IS NULL', '{a IS NULL}'],
  ['a IS  NOT\tNULL', '(not {a IS NULL})'],
  ['a IS EMPTY', '{a IS EMPTY}'],
  ['a IS NOT EMPTY', '(not {a IS EMPTY})'],
  ['a CONTAINS b', '{a CONTAINS b}'],
  ['a NOT CONTAINS"b"', '(not {a CONTAINS b})'],
  ['a STARTS WITH b', '{a STARTS WITH b}'],
  ['a NOT STARTS WITH ""', '(not {a STARTS WITH })'],
  ['a 1 TO 5', '{a TO 1|5}'],
  ['a "1"TO \'5\'', '{a TO 1|5}'],
  ['a = 1 AND b = 2 OR c = 3', '(or (and {a = 1} {b = 2}) {c = 3})'],
  ['a = 1 OR b = 2 AND c = 3', '(or {a = 1} (and {b = 2} {c = 3}))'],
  ['(a = 1 OR b = 2) AND c = 3', '(and (or {a = 1} {b = 2}) {c = 3})'],
  ['(a=1)AND(b=2)', '(and {a = 1} {b = 2})'],
  ['a = 1 OR b = 2 OR c = 3', '(or {a = 1} {b = 2} {c = 3})'],
  ['NOT a = 1 AND b = 2', '(and (not {a = 1}) {b = 2})'],
  ['NOT NOT a = 1', '(not (not {a = 1}))'],
  ['NOT(a = 1)', '(not {a = 1})'],
  ['_geoRadius(1, -2.5, 1e3)', '{radius [1 -2.5] 1000 -}'],
  ['_geoRadius( +1 ,2,.5 , 20 )', '{radius [1 2] 0.5 20}'],
  ['_geoBoundingBox([1,2],[3,4])', '{box [1 2] [3 4]}'],
  ['_geoPolygon([1, 2], [3, 4], [5, 6] , )', '{polygon [1 2] [3 4] [5 6]}'],
  ['"_geo" = 1', '{_geo = 1}'],
  ['_geo.lat > 1', '{_geo.lat > 1}'],
  ['_geology = 1', '{_geology = 1}'],
  ['_vectors EXISTS', '{vectors - "any"}'],
  ['_vectors NOT EXISTS', '(not {vectors - "any"})'],
  ['_vectors.m EXISTS', '{vectors m "any"}'],
  ['_vectors."a.b".userProvided EXISTS', '{vectors a.b "userProvided"}'],
  ['_vectors.m.fragments."x y" EXISTS', '{vectors m {"fragment":"x y"}}'],
  ['_vectors.userProvided EXISTS', '{vectors userProvided "any"}'],
  ['"_vectors" = 1', '{_vectors = 1}'],
  ['_vectorsize = 1', '{_vectorsize = 1}'],
  ['_foreign(a, b = 1 AND c = 2)', '{foreign a (and {b = 1} {c = 2})}'],
  [['a = 1', ['b = 2', 'c = 3 AND d = 4'], ''], '(and {a = 1} (or {b = 2} (and {c = 3} {d = 4})))'],
  [[['a = 1']], '{a = 1}'],
];

t.test('accepted filters', (t) => {
  for (const [filter, tree] of ACCEPTED) t.equal(show(parseFilter(filter, CODE)), tree, JSON.stringify(filter));
  t.end();
});

/** Invalid filters, the position of the error, and a part of the first line of the message. */
const REFUSED: [filter: string, columns: string, message: RegExp][] = [
  ['title & Glass', '1:14', /& Glass.*|operation `=`.*`_geoPolygon` at `& Glass`/],
  ['channel Ponce', '1:14', /operation `=`, .* at `Ponce`/],
  ['value NULL', '1:11', /operation .* at `NULL`/],
  ['channel', '1:8', /operation .* the filter ends/],
  ['a = b XOR c = d', '7:16', /`XOR c = d`.*OR or AND may be missing/],
  ['a = b ORdog = c', '7:16', /`ORdog = c`/],
  ['a = b c > 5', '7:12', /`c > 5`/],
  ['a = b)', '6:7', /`\)`/],
  ['a =', '4:4', /nothing was found/],
  ['a == b', '4:7', /`= b` was found/],
  ['a = b AND', '10:10', /nothing was found/],
  ['x = EXISTS', '5:11', /`EXISTS` is a reserved keyword: put it in quotes/],
  ['AND = 8', '1:4', /`AND` is a reserved keyword: put it in quotes/],
  ['NOT = 8', '5:8', /`= 8` was found/],
  ['NOT', '4:4', /nothing was found/],
  ['a = "b', '5:7', /`"b` is not closed: the closing "/],
  ["a = 'b\\'", '5:9', /is not closed: the closing '/],
  ['(a = b', '1:7', /`\(a = b` is not closed: the closing `\)`/],
  ['()', '2:3', /`\)` was found/],
  ['a IN b', '6:7', /begins with `\[` was expected, found: `b`/],
  ['a IN [b', '6:8', /the closing `\]` is missing/],
  ['a IN [b c]', '9:11', /found: `c\]`/],
  ['a IN [b, AND]', '10:13', /`AND` is a reserved keyword/],
  ['a IN [,]', '7:9', /`,\]` was found/],
  ['a IS', '5:5', /`NULL`, `NOT NULL`, `EMPTY`/],
  ['a IS NOT b', '5:11', /found: `NOT b`/],
  ['a STARTS  WITH b', '1:17', /operation/],
  ['a NOT = b', '1:10', /operation/],
  ['a 1 TO5', '1:8', /operation/],
  ['a 1 TO', '1:7', /operation/],
  ['1 TO 5', '1:7', /operation/],
  ['a CONTAINS', '11:11', /nothing was found/],
  ['a = 😀', '5:6', /`😀` was found/],
  ['a = "\\q"', '5:9', /malformed: it has `\\q`/],
  ['a = "\\u00"', '5:11', /incomplete escape/],
  ['a = "\\ud83d"', '5:13', /malformed/],
  ['a = "\\u{110000}"', '5:17', /malformed/],
  ['_geoRadius', '1:11', /its form is _geoRadius\(latitude/],
  ['_geoRadius (1, 2, 3)', '1:21', /its form is/],
  ['_geoRadius(1, 2)', '1:17', /takes 3 or 4 numbers, found 2/],
  ['_geoRadius(1, 2, 3, 4, 5)', '1:26', /found 5/],
  ['_geoRadius(1, 2, 3,)', '1:21', /3 or 4 numbers/],
  ['_geoRadius("1", 2, 3)', '1:22', /form _geoRadius/],
  ['_geoRadius(1, 2, 3', '1:19', /closing `\)` is missing/],
  ['_geoBoundingBox([1, 2])', '1:24', /takes 2 pairs of numbers, found 1/],
  ['_geoBoundingBox([1, 2], [3, 4], [5, 6])', '1:40', /found 3/],
  ['_geoBoundingBox([1], [2])', '17:20', /pair of numbers .* found 1/],
  ['_geoBoundingBox(1, 2, 3, 4)', '1:28', /form _geoBoundingBox/],
  ['_geoPolygon([1, 2], [3, 4])', '1:28', /at least 3 points, found 2/],
  ['_geoPolygon([1, 2, 3], [3, 4], [5, 6])', '13:22', /found 3/],
  ['_geo = 1', '1:5', /`_geo` is a reserved keyword.*_geoRadius/],
  ['_geoPoint(1, 2) = 1', '1:10', /`_geoPoint` is a reserved keyword.*_geoBoundingBox/],
  ['_geoDistance < 5', '1:13', /reserved/],
  ['a = _geoRadius(1, 2, 3)', '5:15', /is an operation/],
  ['_vectors', '1:9', /only be used with `EXISTS`/],
  ['_vectors = 1', '1:13', /only be used with `EXISTS`/],
  ['_vectors.m IS NULL', '1:19', /only be used with `EXISTS`/],
  ['_vectors.m.nope EXISTS', '1:23', /`userProvided`/],
  ['_vectors.m.fragments EXISTS', '1:28', /`fragments.` with a name/],
  ['_foreign(a)', '1:12', /takes a field and a filter/],
  ['_foreign(a, _foreign(b, c = 1))', '13:32', /inside another/],
];

t.test('refused filters name the error and its position', (t) => {
  for (const [filter, columns, message] of REFUSED) {
    const error = refused(filter);
    const [line = '', place] = error.message.split('\n');
    t.equal(error.code, CODE, filter);
    t.match(line, message, filter);
    t.equal(place, `${columns} ${filter}`, filter);
  }
  t.end();
});

t.test('filters of a wrong JSON type are refused', (t) => {
  for (const value of [true, 5, {}, [1], [['a = 1', null]], [[['a = 1']]], [['a = 1', ['b = 2']]]]) {
    t.match(refused(value).message, /expected .*string.*found: `/, JSON.stringify(value));
  }
  t.end();
});

t.test('the code of the errors is that of the route', (t) => {
  t.throws(() => parseFilter('a =', 'invalid_document_filter'), { code: 'invalid_document_filter' });
  t.end();
});

t.test('the depth of filters is limited', (t) => {
  const nested = (count: number) => `${'('.repeat(count)}a = 1${')'.repeat(count)}`;
  t.equal(show(parseFilter(nested(36), CODE)), '{a = 1}');
  t.match(refused(nested(37)).message, /too deeply nested/);
  t.ok(parseFilter(`${'NOT '.repeat(147)}a = 1`, CODE));
  t.match(refused(`${'NOT '.repeat(148)}a = 1`).message, /too deeply nested/);
  t.ok(parseFilter(Array(50_000).fill('(a = 1)').join(' OR '), CODE), 'flat chains have no limit');
  t.ok(parseFilter(`a IN [${Array(50_000).fill('b').join(',')}]`, CODE), 'lists have no limit');
  t.end();
});
