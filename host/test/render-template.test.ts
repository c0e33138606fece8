import t from 'tap';
import { startServer } from './server.js';

t.test('POST /render-template', async (t) => {
  const server = await startServer();
  t.teardown(() => server.close());
  await server.call('PATCH', '/experimental-features', { renderRoute: true, multimodal: true, chatCompletions: true });
  await server.task('POST', '/indexes/a/documents', [{ id: 7, title: 'lamp' }]);
  const post = (template: object, input: object | null = null) => server.call('POST', '/render-template', { template, input });
  const rendered = async (inline: string, doc: object = {}) => {
    const answer = await post({ kind: 'inlineDocumentTemplate', inline }, { kind: 'inlineDocument', inline: doc });
    return answer.body.rendered ?? answer.body.code;
  };

  await t.test('a document is named by a string or an integer', async (t) => {
    const template = { kind: 'inlineDocumentTemplate', inline: '{{doc.title}}' };
    for (const id of ['7', 7])
      t.equal((await post(template, { kind: 'indexDocument', indexUid: 'a', id })).body.rendered, 'lamp');
    for (const id of [7.5, true, null, ['7']]) {
      const { status, body } = await post(template, { kind: 'indexDocument', indexUid: 'a', id });
      t.match({ status, code: body.code }, { status: 400, code: 'invalid_render_input' }, JSON.stringify(id));
    }
    t.match(await post(template, { kind: 'indexDocument', indexUid: 'a', id: 8 }), {
      status: 404,
      body: { code: 'render_document_not_found' },
    });
  });

  await t.test('a template of documents cannot be rendered for a search, whatever it contains', async (t) => {
    const input = { kind: 'inlineSearch', inline: { q: 'lamp' } };
    const refused = { status: 400, body: { code: 'template_rendering_error' } };
    t.match(await post({ kind: 'inlineDocumentTemplate', inline: 'x' }, input), refused);
    t.match(await post({ kind: 'inlineDocumentTemplate', inline: '{{q}}' }, input), refused);
    t.match(await post({ kind: 'chatDocumentTemplate', indexUid: 'a' }, input), refused);
    t.match(await post({ kind: 'inlineDocumentTemplate', inline: '{{' }, input), { body: { code: 'template_parsing_error' } });
    t.match(await post({ kind: 'inlineFragment', inline: 'x{{q}}' }, input), { body: { rendered: 'xlamp' } });
  });

  await t.test('numbers are written as JSON has them', async (t) => {
    const n = [1, 1.5, -0.25, 1e21, 1e-7, 2 ** 53 - 1];
    t.equal(await rendered('{% for x in doc.n %}{{ x }} {% endfor %}', { n }), '1 1.5 -0.25 1e21 1e-7 9007199254740991 ');
    t.equal(await rendered('{{ doc.n }}', { n: 1e21 }), '1e21');
  });

  await t.test('white space around what is not interpreted', async (t) => {
    const cases = {
      '{% raw %} {{x}} {% endraw %}.': ' {{x}} .',
      '{% raw %} {{x}} {%- endraw %} .': ' {{x}} .',
      '{% raw -%} {{x}} {% endraw -%} .': '{{x}} .',
      'a {%- raw -%} {{x}} {%- endraw -%} .': 'a{{x}}.',
      '{%raw%}{% raw %} {%-endraw%}{%- raw -%} {%- endraw -%} b': '{% raw %}b',
      '{% raw %}{% if %}{%- endif -%}{%-  endraw  %}': '{% if %}{%- endif -%}',
      '{% raw %} x': 'template_parsing_error',
      '{%- endraw %}': 'template_parsing_error',
    };
    for (const [template, text] of Object.entries(cases)) t.equal(await rendered(template), text, template);
  });
});
