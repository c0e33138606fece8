import t from 'tap';
import { EngineBench } from '../../test/differential/engine-index.js';
import { randomCase } from '../../test/oracle/random-case.js';
import { randomText } from '../../test/oracle/random-words.js';
import { completeSettings } from '../../test/oracle/settings.js';
import { parseFilter } from '../query/filter-parse.js';
import { allOf, conjuncts, onlyField } from '../query/filter-parts.js';

const FIELDS = ['price', 'group', 'tags', 'flag'];
const bench = new EngineBench();

type Body = Record<string, unknown>;
type Facets = Record<string, Record<string, number>>;

t.test('conjuncts and single-field parts of filters', async (t) => {
  const fieldsOf = (filter: unknown) => conjuncts(parseFilter(filter, 'x')).map(onlyField);
  t.same(fieldsOf('a = 1 AND (b = 2 AND a > 3) AND NOT c EXISTS'), ['a', 'b', 'a', 'c']);
  t.same(fieldsOf(['a = 1', ['b = 1', 'b = 2'], ['a = 1', 'b = 2']]), ['a', 'b', null]);
  t.same(fieldsOf('_geoRadius(1, 2, 3) AND a = 1'), [null, 'a']);
  t.same(fieldsOf(null), []);
  t.equal(allOf([]), null);
});

t.test('disjunctive counts agree with a further search per facet', async (t) => {
  let compared = 0;
  for (let seed = 1; seed <= 40; seed++) {
    const sample = randomCase(seed, 0);
    const text = randomText(~seed);
    const documents = sample.documents.map((json, internalId) => ({ internalId, json }));
    const settings = completeSettings({ ...sample.settings, filterableAttributes: FIELDS });
    const spread = { segments: 1 + text.random.int(3), memories: 1 + text.random.int(2) };
    const index = bench.index(settings, documents, spread);
    const ask = (body: Body): { facetDistribution: Facets; facetStats: Body } =>
      JSON.parse(new TextDecoder().decode(index.search(new TextEncoder().encode(JSON.stringify(body)))));
    for (let request = 0; request < 5; request++) {
      const words = randomText(seed);
      const conditions = text
        .some(FIELDS, 1 + text.random.int(3))
        .map((field) => ({ field, filter: randomCondition(text, field) }));
      const mixed = text.chance(30) ? [['price > 1', 'flag = true']] : [];
      const paged = text.chance(40);
      const common: Body = {
        q: text.chance(40) ? '' : words.quotation(2),
        ...(text.chance(30) ? { distinct: text.pick(['group', 'price']) } : {}),
        ...(text.chance(20) ? { rankingScoreThreshold: 0.5 } : {}),
      };
      const page = paged ? { hitsPerPage: 3 } : { limit: 3 };
      const filter = [...conditions.map((condition) => condition.filter), ...mixed];
      const together = ask({ ...common, ...page, filter, facets: ['price'], disjunctiveFacets: FIELDS });
      for (const field of FIELDS) {
        const isOwn = conditions.some((condition) => condition.field === field);
        const others = conditions.filter((condition) => condition.field !== field).map((condition) => condition.filter);
        const none = paged ? { hitsPerPage: 0 } : { limit: 0 };
        const apart = ask({ ...common, ...(isOwn ? none : page), filter: [...others, ...mixed], facets: [field] });
        const report = `seed ${seed}: ${field} of ${JSON.stringify({ ...common, ...page, filter })}`;
        if (JSON.stringify(together.facetDistribution[field]) !== JSON.stringify(apart.facetDistribution[field]))
          t.same(together.facetDistribution[field], apart.facetDistribution[field], report);
        t.same(together.facetStats[field], apart.facetStats[field], report);
        compared++;
      }
    }
  }
  t.equal(compared, 40 * 5 * FIELDS.length);
});

function randomCondition(text: ReturnType<typeof randomText>, field: string): string | string[] {
  const value = () => text.pick(['1', '2', '10', 'A', 'b', 'true', 'cheap', "'long name'"]);
  switch (text.random.int(4)) {
    case 0:
      return `${field} IN [${value()}, ${value()}]`;
    case 1:
      return [`${field} = ${value()}`, `${field} = ${value()}`];
    case 2:
      return `${field} > 1 AND ${field} < 8`;
    default:
      return `NOT ${field} = ${value()}`;
  }
}

t.test('a disjunctive facet without conditions is counted like others', async (t) => {
  const documents = [
    { id: 0, kind: 'a', size: 1 },
    { id: 1, kind: 'b', size: 2 },
  ].map((document, internalId) => ({ internalId, json: JSON.stringify(document) }));
  const settings = completeSettings({ filterableAttributes: ['kind', 'size'] });
  const index = bench.index(settings, documents, { segments: 1, memories: 1 });
  const ask = (body: Body) =>
    JSON.parse(new TextDecoder().decode(index.search(new TextEncoder().encode(JSON.stringify(body))))).facetDistribution;
  t.same(ask({ disjunctiveFacets: ['kind', 'nothing'], filter: 'kind = a' }), { kind: { a: 1, b: 1 } });
  t.same(ask({ disjunctiveFacets: ['kind'], facets: ['*'], filter: 'kind = a' }), { kind: { a: 1, b: 1 }, size: { 1: 1 } });
  t.same(ask({ disjunctiveFacets: [], filter: 'kind = a' }), {});
  t.same(ask({ disjunctiveFacets: null }), undefined);
});
