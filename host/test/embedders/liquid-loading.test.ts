import { createRequire } from 'node:module';
import t from 'tap';
import { DEFAULT_TEMPLATE, documentScope, Template } from '../../templates/template.js';

const { cache } = createRequire(import.meta.url);
const isLoaded = () => Object.keys(cache).some((file) => file.includes('/node_modules/liquidjs/'));

t.test('templates that only insert members are rendered without loading the engine of templates', async (t) => {
  const scope = documentScope({ id: 7, name: 'Rex' }, () => true);
  t.equal(new Template(DEFAULT_TEMPLATE).render(scope), 'id: 7\nname: Rex\n');
  const plain = new Template('A dog named {{ doc.name }}');
  t.equal(plain.render(scope), 'A dog named Rex');
  t.notOk(isLoaded());
  t.throws(
    () => plain.render(documentScope({ id: 8 }, () => true)),
    /undefined variable: doc.name/,
    'it knows what to say of a missing member',
  );
  t.ok(isLoaded());
  t.equal(new Template('{% if doc.id == 7 %}{{ doc.name | upcase }}{% endif %}').render(scope), 'REX');
});
