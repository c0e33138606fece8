import t from 'tap';
import { RelatedPaths } from '../format/related-paths.js';
import { fieldsOf, hit, hitsText, hitText, viewOf } from './hit-case.js';
import { type SeededRandom, seededRandom } from './random.js';

const encoder = new TextEncoder();
const decoder = new TextDecoder();

type Json = null | boolean | number | string | Json[] | { [name: string]: Json };

function randomValue(random: SeededRandom, depth: number): Json {
  const kind = random.int(depth > 0 ? 7 : 4);
  if (kind < 4) return random.pick([null, true, 12.5, 'x "y" \\ é🦊\n', '', 0]);
  if (kind === 4) return Array.from({ length: random.int(4) }, () => randomValue(random, depth - 1));
  return randomObject(random, depth - 1);
}

function randomObject(random: SeededRandom, depth: number): { [name: string]: Json } {
  const object: { [name: string]: Json } = {};
  for (let i = random.int(5); i > 0; i--)
    object[random.pick(['a', 'b', 'c', 'a.b', 'b.c', 'é"q', ''])] = randomValue(random, depth);
  return object;
}

/** Extra white space between the tokens of JSON. */
function spaced(json: string, random: SeededRandom): string {
  return json.replace(/("(?:[^"\\]|\\.)*")|([{}[\],:])/g, (part, text) =>
    text ? part : `${' '.repeat(random.int(2))}${part}${random.pick(['', ' ', '\n', '\t '])}`,
  );
}

type Keep = (value: Json, path: string) => Json | undefined;

/** Keeps selected paths; `part` says what becomes of a value on the way. */
function selected(
  value: { [name: string]: Json },
  prefix: string,
  names: Set<string>,
  scalar: Keep,
  prune: boolean,
): { [name: string]: Json } {
  const kept: { [name: string]: Json } = {};
  const part = (inner: Json, path: string): Json | undefined => {
    if (Array.isArray(inner)) {
      const items = inner.map((item) => part(item, path)).filter((item) => item !== undefined);
      return prune && items.length === 0 ? undefined : items;
    }
    if (inner === null || typeof inner !== 'object') return prune ? undefined : inner;
    const members = selected(inner, `${path}.`, names, scalar, prune);
    return prune && Object.keys(members).length === 0 ? undefined : members;
  };
  for (const [name, member] of Object.entries(value)) {
    const path = `${prefix}${name}`;
    let result: Json | undefined;
    if (names.has(path)) result = scalar(member, path);
    else if ([...names].some((other) => other.startsWith(`${path}.`))) result = part(member, path);
    if (result !== undefined) kept[name] = result;
  }
  return kept;
}

const texts = (value: Json): Json => {
  if (typeof value === 'number') return String(value);
  if (Array.isArray(value)) return value.map(texts);
  if (value !== null && typeof value === 'object')
    return Object.fromEntries(Object.entries(value).map(([k, v]) => [k, texts(v)]));
  return value;
};

t.test('random projections agree with a naive implementation', async (t) => {
  const seed = 77001;
  const random = seededRandom(seed);
  for (let round = 0; round < 600; round++) {
    const document = randomObject(random, 4);
    const fields = fieldsOf(document);
    const names = Array.from({ length: random.int(4) }, () => (fields.length > 0 ? random.pick(fields) : 'a'));
    names.push('unknown', 'a.unknown');
    const known = new Set(names.filter((name) => fields.includes(name)));
    const view = viewOf(fields);
    const json = spaced(JSON.stringify(document), random);
    const shown = JSON.parse(hitText(view, json, { attributesToRetrieve: names }));
    const expected = selected(document, '', known, (value) => value, false);
    const formatted = JSON.parse(hitText(view, json, { attributesToRetrieve: [], attributesToHighlight: names }))._formatted;
    const expectedFormatted = known.size === 0 ? undefined : selected(document, '', known, texts, true);
    if (!t.same(shown, expected, `seed ${seed}, round ${round}: ${json} ${names}`)) return;
    if (!t.same(formatted, expectedFormatted, `seed ${seed}, round ${round}, formatted: ${json} ${names}`)) return;
    if (!t.same(JSON.parse(hitText(view, json, {})), document)) return;
    if (!t.same(JSON.parse(hitText(view, json, { attributesToHighlight: ['*'] }))._formatted ?? {}, texts(document))) return;
  }
});

t.test('retrieved and displayed attributes of a document', async (t) => {
  const document = {
    id: 1,
    title: 'Salt road',
    stats: { views: 10, likes: 2 },
    parts: [['x', { n: 'deep', len: 1 }], 'y', { len: 7 }],
  };
  const fields = fieldsOf(document);
  const shown = (displayedAttributes: string[] | null, body: object) =>
    hit(viewOf(fields, { displayedAttributes }), document, body);
  const { id, title, stats } = document;
  t.same(shown(['id', 'stats.views'], {}), { id, stats: { views: 10 } });
  t.same(shown(['id', 'stats.views'], { attributesToRetrieve: ['stats.views'] }), { stats: { views: 10 } });
  t.same(shown(['id', 'stats.views'], { attributesToRetrieve: ['stats', 'stats.likes'] }), {});
  t.same(shown(['stats'], { attributesToRetrieve: ['stats.views'] }), {});
  t.same(shown(['stats'], { attributesToRetrieve: ['*', 'x'] }), { stats });
  t.same(shown([], {}), {});
  t.same(shown(null, { attributesToRetrieve: [] }), {});
  t.same(shown(null, { attributesToRetrieve: ['title', 'title', 'Title', 'ti*'] }), { title });
  t.same(shown(null, { attributesToRetrieve: ['parts.n'] }), { parts: [['x', { n: 'deep' }], 'y', {}] });
});

t.test('vectors are shown on demand only, and only when displayed', async (t) => {
  const document = { id: 1, _vectors: { m: [1, 0] } };
  const fields = ['id', '_vectors', '_vectors.m'];
  const bodies: [body: object, displayed: string[] | null, expected: object][] = [
    [{}, null, { id: 1 }],
    [{ attributesToRetrieve: ['_vectors'] }, null, {}],
    [{ retrieveVectors: true }, null, document],
    [{ retrieveVectors: true, attributesToRetrieve: ['id'] }, null, document],
    [{ retrieveVectors: true }, ['id'], { id: 1 }],
    [{ retrieveVectors: true }, ['id', '_vectors'], document],
    [{ attributesToHighlight: ['*'] }, null, { id: 1, _formatted: { id: '1' } }],
  ];
  for (const [body, displayedAttributes, expected] of bodies) {
    t.same(hit(viewOf(fields, { displayedAttributes }), document, body), expected, JSON.stringify(body));
  }
  t.same(hit(viewOf(['id']), { id: 1 }, { retrieveVectors: true }), { id: 1, _vectors: {} });
});

t.test('escapes in texts and names are handled', async (t) => {
  const seed = 5150;
  const random = seededRandom(seed);
  const body = { attributesToRetrieve: [], attributesToHighlight: ['*', 't'], showMatchesPosition: true };
  const terms = { words: [{ text: 'a', prefix: false, known: true, typos: [], positions: [0] }] };
  for (let round = 0; round < 500; round++) {
    const text = Array.from({ length: random.int(12) }, () =>
      random.pick(['a', '"', '\\', '\n', '\u0001', '\u001f', 'é', '🦊', '\u2028', '/', '\b\f\r\t', ' ']),
    ).join('');
    const quoted = random.int(2) === 0 ? JSON.stringify(text) : asciiJson(text);
    const { _formatted, _matchesPosition } = JSON.parse(hitText(viewOf(['t']), `{"t":${quoted}}`, body, terms));
    t.equal(_formatted.t.replace(/<.?em>/g, ''), text, `seed ${seed}, round ${round}`);
    const bytes = encoder.encode(text);
    const parts: { start: number; length: number }[] = _matchesPosition.t ?? [];
    const marked = [..._formatted.t.matchAll(/<em>(.*?)<.em>/gs)].map(([, part]) => part);
    t.same(
      parts.map(({ start, length }) => decoder.decode(bytes.subarray(start, start + length))),
      marked,
    );
    const named = JSON.parse(hitText(viewOf([text]), `{${quoted}:"a"}`, { showMatchesPosition: true }, terms));
    t.same(named, { [text]: 'a', _matchesPosition: { [text]: [{ start: 0, length: 1 }] } });
  }
  const vectors = '{"a":1, "_vectors" : {"a":2}, "\\u005fvectors":{"a" :3}}';
  t.equal(hitText(viewOf(['a', '_vectors']), vectors, { retrieveVectors: true }), '{"a":1,"_vectors":{"a" :3}}');
});

t.test('a member with a dot and a nested one share their path', async (t) => {
  const document = { a: { b: 'fox' }, 'a.b': 'red fox', c: 'fox' };
  const terms = { words: [{ text: 'fox', prefix: false, known: true, typos: [], positions: [0] }] };
  const { _matchesPosition } = hit(viewOf(['a', 'a.b', 'c']), document, { showMatchesPosition: true }, terms);
  t.same(_matchesPosition, {
    'a.b': [
      { start: 0, length: 3 },
      { start: 4, length: 3 },
    ],
    c: [{ start: 0, length: 3 }],
  });
});

t.test('many hits, long ones among them, are written as one by one', async (t) => {
  const random = seededRandom(4711);
  const documents = Array.from({ length: 400 }, (_, id) => ({
    id,
    text: 'red fox '.repeat(random.int(id % 50 === 0 ? 20000 : 20)),
  }));
  const view = viewOf(['id', 'text']);
  const body = { attributesToHighlight: ['text'] };
  const terms = { words: [{ text: 'fox', prefix: false, known: true, typos: [], positions: [0] }] };
  const texts = documents.map((document) => JSON.stringify(document));
  const together = hitsText(view, texts, body, terms);
  t.ok(together === texts.map((json) => hitText(view, json, body, terms)).join());
  t.equal(JSON.parse(`[${together}]`).length, documents.length);
});

t.test('documents of many members in any order', async (t) => {
  const random = seededRandom(90210);
  const names = Array.from({ length: 300 }, (_, i) => `n${i}`);
  const view = viewOf(names);
  for (let round = 0; round < 20; round++) {
    const members = names.filter(() => random.int(3) > 0).sort(() => random.int(3) - 1);
    const document = Object.fromEntries(members.map((name) => [name, name]));
    const shown = members.filter((name) => name.endsWith('1'));
    const body = { attributesToRetrieve: names.filter((name) => name.endsWith('1')) };
    const two = JSON.parse(`[${hitsText(view, [JSON.stringify(document), '{"n1":2,"n300":3}'], body)}]`);
    t.same(two, [Object.fromEntries(shown.map((name) => [name, name])), { n1: 2 }]);
  }
});

/** JSON of a text with every other letter escaped by its number. */
function asciiJson(text: string): string {
  const units = Array.from({ length: text.length }, (_, i) => text.charCodeAt(i));
  return `"${units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('')}"`;
}

t.test('related paths are found in a list', async (t) => {
  const random = seededRandom(1234);
  const path = () => Array.from({ length: 1 + random.int(3) }, () => random.pick(['a', 'b', 'ab'])).join('.');
  for (let round = 0; round < 500; round++) {
    const paths = Array.from({ length: random.int(5) }, path);
    const asked = path();
    const isRelated = (other: string) => `${other}.`.startsWith(`${asked}.`) || `${asked}.`.startsWith(`${other}.`);
    t.equal(new RelatedPaths(paths).first(asked), paths.findIndex(isRelated), `${asked} in ${paths}`);
  }
});
