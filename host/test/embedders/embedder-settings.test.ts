import t from 'tap';
import { FragmentTemplate } from '../../templates/fragment.js';
import { EMBEDDING, FRAGMENT, JsonTemplate, TEXT, wirePair } from '../../templates/json-template.js';
import { DEFAULT_TEMPLATE, documentScope, Template } from '../../templates/template.js';
import { startServer } from '../server.js';

t.test('embedder settings are validated', async (t) => {
  const server = await startServer();
  t.teardown(() => server.close());
  const rest = { source: 'rest', url: 'http://localhost:1/x', request: { t: '{{text}}' }, response: { v: '{{embedding}}' } };
  const mine = { source: 'userProvided', dimensions: 2 };
  const faults: [unknown, string][] = [
    [{ '': mine }, 'invalid_settings_embedders'],
    [{ e: { source: 'rust' } }, 'invalid_settings_embedders'],
    [{ e: { nope: 1 } }, 'invalid_settings_embedders'],
    [{ e: { source: 'userProvided' } }, 'invalid_settings_embedders'],
    [{ e: { ...mine, url: null } }, 'invalid_settings_embedders'],
    [{ e: { ...mine, dimensions: 0 } }, 'invalid_settings_embedders'],
    [{ e: { ...mine, distribution: { mean: 0.5, sigma: 0 } } }, 'invalid_settings_embedders'],
    [{ e: { ...mine, request: {} } }, 'vector_embedding_error'],
    [{ e: { ...rest, url: 'here' } }, 'invalid_settings_embedders'],
    [{ e: { ...rest, request: { t: ['{{text}}', '{{..}}'] } } }, 'vector_embedding_error'],
    [{ e: { ...rest, documentTemplate: '{% include "/etc/passwd" %}' } }, 'invalid_settings_embedders'],
    [{ e: { source: 'openAi', model: 'gpt' } }, 'invalid_settings_embedders'],
    [{ e: { source: 'openAi', model: 'text-embedding-ada-002', dimensions: 3 } }, 'invalid_settings_embedders'],
    [{ e: { source: 'composite' } }, 'feature_not_enabled'],
    [{ e: { ...rest, indexingFragments: { a: { value: 'x' } } } }, 'feature_not_enabled'],
    [{ e: { ...rest, indexingFragments: { a: {} } } }, 'invalid_settings_embedders'],
  ];
  for (const [body, code] of faults) {
    const answer = await server.call('PATCH', '/indexes/e/settings/embedders', body);
    t.match(answer, { status: 400, body: { code } }, JSON.stringify(body));
  }
  t.equal((await server.call('GET', '/tasks')).body.total, 0, 'no task was made');
});

t.test('changes of embedders are merged into stored settings', async (t) => {
  const server = await startServer();
  t.teardown(() => server.close());
  const shown = async () => (await server.call('GET', '/indexes/e/settings/embedders')).body;
  const change = (body: unknown) => server.task('PATCH', '/indexes/e/settings/embedders', body);
  const rest = {
    source: 'rest',
    url: 'http://localhost:1/x',
    dimensions: 2,
    request: { t: '{{text}}' },
    response: { v: '{{embedding}}' },
  };
  await change({ e: { ...rest, apiKey: 'abcdefghijkl', documentTemplate: '{{doc.t}}' }, __proto__x: null });
  t.same(await shown(), {
    e: { ...rest, apiKey: 'abXXXX...', documentTemplate: '{{doc.t}}', documentTemplateMaxBytes: 400, headers: {} },
  });
  t.match((await change({ e: { documentTemplate: null, headers: { 'X-A': '1' } } })).status, 'succeeded');
  t.match((await shown()).e, { documentTemplate: DEFAULT_TEMPLATE, headers: { 'X-A': '1' } });
  await change({ e: { source: 'userProvided', dimensions: 3, binaryQuantized: true } });
  t.same(await shown(), { e: { source: 'userProvided', dimensions: 3, binaryQuantized: true } }, 'what it refuses is dropped');
  for (const refused of [{ dimensions: null }, { url: null }, { binaryQuantized: false }, { binaryQuantized: null }]) {
    const task = await change({ e: refused });
    t.match(task, { status: 'failed', error: { code: 'invalid_settings_embedders' } }, JSON.stringify(refused));
  }
  await server.restart();
  t.same(await shown(), { e: { source: 'userProvided', dimensions: 3, binaryQuantized: true } });
  await change({ e: null, ghost: null });
  t.same(await shown(), {});
  const names = '{"__proto__":{"source":"userProvided","dimensions":1},"constructor":{"source":"userProvided","dimensions":1}}';
  await change(names);
  t.same(Object.keys(await shown()), ['__proto__', 'constructor']);
});

t.test('Liquid templates are strict and bounded', async (t) => {
  const scope = documentScope(
    { id: 7, name: 'Rex', tags: ['a', 'b'], x: null, o: { k: 1.5 }, _vectors: {} },
    (name) => name !== 'o',
  );
  t.equal(new Template(DEFAULT_TEMPLATE).render(scope), 'id: 7\nname: Rex\ntags: ab\n');
  t.equal(new Template('{{doc.o}} {{ doc.name | capitalize }}').render(scope), 'k1.5 Rex');
  t.equal(new Template('{% if doc.none %}a{% else %}b{% endif %}').render(scope), 'b');
  for (const lacking of ['{{doc.none}}', '{{q}}', '{{doc._vectors}}', '{{doc.constructor}}', '{{doc.o.none.deep}}'])
    t.throws(() => new Template(lacking).render(scope), /undefined variable/, lacking);
  for (const broken of ['{{doc.a', '{% if x %}', '{{ doc.a | nope }}', '{% nope %}', '{% render "x" %}'])
    t.throws(() => new Template(broken), /not closed|undefined filter|not found/, broken);
  const endless = '{% for a in (1..100000) %}{% for b in (1..100000) %}x{% endfor %}{% endfor %}';
  t.throws(() => new Template(endless).render(scope), /limit/, 'work is bounded');
  const fragment = new FragmentTemplate({ type: 'text', n: 1, parts: ['{{q}}', null] });
  t.same(fragment.render({ q: 'lamp' }), { type: 'text', n: 1, parts: ['lamp', null] });
  t.equal(fragment.tryRender({ media: {} }), null);
});

t.test('templates that only name members render as all templates do', async (t) => {
  const outcome = (source: string, document: Record<string, unknown>) => {
    try {
      return new Template(source).render(documentScope(document, (name) => name !== 'hidden'));
    } catch (error) {
      return `refused: ${(error as Error).message.replace(/, line.*/, '')}`;
    }
  };
  // what does nothing, but takes the language of templates
  const slow = (source: string) => `{% assign unused = 1 %}${source}`;
  const member = { a: 'x', size: 3, first: null, deep: { b: [1, { c: 2 }], '': 1 } };
  const odd = JSON.parse('{"__proto__":{"a":1},"constructor":"c","toString":null}');
  const values = [null, '', 'text', 7, -0.5, 1e21, true, [], ['a', null, ['b', 2]], {}, member, odd, '{{doc.id}}'];
  const documents = values.flatMap((a) => [
    { id: 1, a, hidden: 2 },
    { a, b: values, _vectors: { e: [1] } },
    { ...odd, a },
  ]);
  const sources = [
    ...['{{doc.a}}', 'a {{ doc.a }}\n{{doc.id}} b', '{{doc.a.a}}', '{{doc.a.deep.b}}', '{{doc.a.size}}', '{{doc.a.first}}'],
    ...['{{-doc.a-}} ', '{{doc}}', '{{doc.a.deep.c}}', '{{doc.constructor}}', '{{doc.__proto__.a}}', '{{doc["a"]}}', '{{doc.a }'],
    ...['', 'plain }', '{{doc._vectors}}', '{{doc.a}}{{doc.b}}', '{{doc.a | upcase}}', '{{ doc.a.0 }}', DEFAULT_TEMPLATE],
  ];
  for (const source of sources) {
    for (const document of documents) {
      const [fast, usual] = [outcome(source, document), outcome(slow(source), document)];
      if (fast !== usual) t.equal(fast, usual, `${source} of ${JSON.stringify(document)}`);
    }
  }
  t.ok(documents.length * sources.length > 700);
});

t.test('request and response templates of REST embedders', async (t) => {
  const many = wirePair({ input: [TEXT, '{{..}}'], m: 'x' }, { data: [{ v: EMBEDDING }, '{{..}}'] }, '.e', TEXT);
  t.same(many.request.fill(['a', 'b']), { input: ['a', 'b'], m: 'x' });
  t.same(many.response.extract({ data: [{ v: [1, 2] }, { v: [3, 4] }] }), [
    [1, 2],
    [3, 4],
  ]);
  const one = wirePair(TEXT, EMBEDDING, '.e', TEXT);
  t.equal(one.request.fill(['a']), 'a');
  t.same(one.response.extract([1]), [[1]]);
  t.same(new JsonTemplate({ a: [1, { b: FRAGMENT }] }, '.r', FRAGMENT).fill([{ x: 1 }]), { a: [1, { b: { x: 1 } }] });
  t.throws(() => many.response.extract({ dat: [] }), /no member `response.data`.*`dat`/s);
  t.throws(() => many.response.extract({ data: [{ v: [1] }, 3] }), /`response.data\[1\]` of the answer must be an object/);
  const faults: [unknown, unknown][] = [
    [{}, EMBEDDING],
    [[TEXT, TEXT], EMBEDDING],
    [[TEXT, '{{..}}'], EMBEDDING],
    [TEXT, [EMBEDDING, '{{..}}']],
    [{ a: TEXT, b: '{{..}}' }, EMBEDDING],
    [
      ['x', '{{..}}', TEXT],
      [EMBEDDING, '{{..}}'],
    ],
    [
      ['x', TEXT, '{{..}}'],
      [EMBEDDING, '{{..}}'],
    ],
    [
      [[TEXT, '{{..}}'], '{{..}}'],
      [EMBEDDING, '{{..}}'],
    ],
  ];
  for (const [request, response] of faults)
    t.throws(() => wirePair(request, response, '.e', TEXT), { code: 'vector_embedding_error' }, JSON.stringify(request));
});
