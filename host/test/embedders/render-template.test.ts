import t from 'tap';
import { startServer } from '../server.js';

t.test('templates are rendered, and invalid ones refused', async (t) => {
  const server = await startServer();
  t.teardown(() => server.close());
  await server.call('PATCH', '/experimental-features', { renderRoute: true, multimodal: true, chatCompletions: true });
  await server.task('POST', '/indexes/a/documents', [{ id: 7, title: 'lamp' }]);
  const post = (template: object, input: object | null = null) => server.call('POST', '/render-template', { template, input });
  const rendered = async (inline: string, doc: object = {}) => {
    const answer = await post({ kind: 'inlineDocumentTemplate', inline }, { kind: 'inlineDocument', inline: doc });
    return answer.body.rendered ?? answer.body.code;
  };

  await t.test('the id of a document is a string or an integer', async (t) => {
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

  await t.test('numbers of documents keep their digits and their kind', async (t) => {
    const numbers = '[1.0, -0.0, 1.50, 18446744073709551615, -9223372036854775808, 9007199254740993, 1e3, 36893488147419103232]';
    const texts = [
      '1.0',
      '-0.0',
      '1.5',
      '18446744073709551615',
      '-9223372036854775808',
      '9007199254740993',
      '1000.0',
      '3.6893488147419103e19',
    ];
    await server.task('POST', '/indexes/n/documents', `[{"id": 1, "n": ${numbers}, "o": {"price": 2.0}, "s": "at: 1.0, 2.50"}]`);
    const cases = {
      '{% for x in doc.n %}{{ x }} {% endfor %}': `${texts.join(' ')} `,
      '{{ doc.n | join: " " }}': texts.join(' '),
      '{{doc.o.price}} {{doc.s}}': '2.0 at: 1.0, 2.50',
      '{{doc.o}} {{ doc.o.price | append: " EUR" }}': 'price2.0 2.0 EUR',
      '{{ doc.o.price | plus: 1 }} {{ doc.o.price | times: 1.5 }}': '3 3',
      '{% if doc.o.price == 2 and doc.o.price < 3 and 1 < doc.o.price and 2 == doc.o.price %}y{% endif %}': 'y',
      '{% case doc.o.price %}{% when 2 %}two{% endcase %}': 'two',
    };
    for (const [inline, text] of Object.entries(cases)) {
      const input = { kind: 'indexDocument', indexUid: 'n', id: 1 };
      t.equal((await post({ kind: 'inlineDocumentTemplate', inline }, input)).body.rendered, text, inline);
    }
    const body = `{"template": {"kind": "inlineDocumentTemplate", "inline": "{{doc.n}}"}, "input": {"kind": "inlineDocument", "inline": {"n": 3.0}}}`;
    t.equal((await server.call('POST', '/render-template', body)).body.rendered, '3.0');
  });

  await t.test('`raw` keeps its content, and dashes trim white space around it', async (t) => {
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
