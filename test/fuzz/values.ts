import type { Schema } from '../../bindings/query/validate.js';
import type { SeededRandom } from '../../bindings/test/random.js';
import { CHAT_SOURCES } from '../../host/chats/settings.js';
import { SETTINGS_SCHEMA } from '../../host/http/table/index-routes.js';
import { SCHEMAS } from '../../host/http/table/schemas.js';
import { FEATURES } from '../../host/options/features.js';
import { document } from './documents.js';
import { address, FUNCTIONS, field, filter, INDEXES, query, sortItem, template, word } from './texts.js';

/**
 * JSON that a schema of the description of the interface takes, or nearly. A member is filled by its name where that says more
 * than its type does; any other by its schema alone, so that new members are sent as soon as they stand in their table.
 */

type Json = unknown;
type Maker = (random: SeededRandom) => Json;

const several = (random: SeededRandom, make: Maker, most = 4): Json[] =>
  Array.from({ length: random.int(most) }, () => make(random));

const fields: Maker = (random) => several(random, field);
const dimensions: Maker = (random) => several(random, () => (random.int(200) - 100) / 50, 5);

/** Values for members with these names. */
const BY_NAME = new Map<string, Maker>(
  Object.entries({
    q: query,
    facetQuery: query,
    filter,
    sort: (random) => several(random, sortItem),
    facets: fields,
    disjunctiveFacets: fields,
    attributesToRetrieve: fields,
    attributesToCrop: fields,
    attributesToHighlight: fields,
    attributesToSearchOn: fields,
    displayedAttributes: fields,
    searchableAttributes: fields,
    filterableAttributes: fields,
    sortableAttributes: fields,
    fields,
    attributePatterns: fields,
    facetName: field,
    distinct: field,
    distinctAttribute: field,
    primaryKey: (random) => random.pick(['id', 'id', 'title', null, '', 'constructor']),
    indexUid: (random) => random.pick(INDEXES),
    uid: (random) => random.pick(INDEXES),
    indexes: (random) => several(random, () => random.pick([...INDEXES, '*', 'mov*', 'x y']), 3),
    vector: dimensions,
    hybrid: (random) => ({ embedder: random.pick(['own', 'rest', 'constructor']), semanticRatio: random.int(11) / 10 }),
    embedder: (random) => random.pick(['own', 'rest', 'constructor']),
    source: (random) => random.pick(['userProvided', 'rest', 'ollama', 'openAi', 'composite', 'huggingFace', ...CHAT_SOURCES]),
    dimensions: (random) => random.pick([1, 2, 3, 3, 768, 0, -1, 1e9]),
    documentTemplate: template,
    inline: (random) => random.pick([template, document])(random),
    url: address,
    baseUrl: address,
    function: (random) => random.pick(FUNCTIONS),
    rankingRules: (random) =>
      several(
        random,
        () => random.pick(['words', 'typo', 'proximity', 'attribute', 'sort', 'exactness', 'attributeRank', sortItem(random)]),
        8,
      ),
    locales: (random) => several(random, () => random.pick(['eng', 'fra', 'jpn', 'zh', 'xx', 'kor'])),
    limit: (random) => random.pick([0, 1, 5, 20, 1000, 1e9, Number.MAX_SAFE_INTEGER]),
    offset: (random) => random.pick([0, 0, 1, 5, 1000, Number.MAX_SAFE_INTEGER]),
    synonyms: (random) => Object.fromEntries(several(random, () => [word(random), several(random, word)]) as [string, Json][]),
  } satisfies Record<string, Maker>),
);

/** A value of another type or kind. */
export const STRANGE: readonly Json[] = [
  ...[null, true, false, 0, -1, 1.5, 1e21, -0, Number.MAX_SAFE_INTEGER, 2 ** 53, 1e-320],
  ...['', ' ', 'x', '\0', '\ud800', '*', '__proto__', 'constructor', '1', 'null', 'x'.repeat(70_000)],
  ...[[], {}, [[]], [null], [{}], { constructor: 1 }, { x: { x: { x: {} } } }, [['x', ['x', ['x']]]]],
  ...[JSON.parse('{"__proto__": 1}'), Array.from({ length: 300 }, (_, i) => i), deep(500)],
];

function deep(levels: number): Json {
  let value: Json = 'x';
  for (let i = 0; i < levels; i++) value = [value];
  return value;
}

/** A value for a schema; `name` is that of the member. */
export function valueFor(random: SeededRandom, schema: Schema, name = ''): Json {
  const maker = BY_NAME.get(name);
  if (maker && random.int(8) > 0) return maker(random);
  const { $ref, anyOf, allOf, const: constant, enum: names, items, properties, required, additionalProperties } = schema;
  if (constant !== undefined) return constant;
  if (Array.isArray(names)) return random.pick(names);
  if (typeof $ref === 'string') return valueFor(random, referred($ref), name);
  const choices = (anyOf ?? allOf) as Schema[] | undefined;
  if (choices) return valueFor(random, random.pick(choices), name);
  switch (random.pick([schema.type ?? typeOf(schema)].flat())) {
    case 'null':
      return null;
    case 'boolean':
      return random.int(2) === 0;
    case 'integer':
      return random.pick([Number(schema.minimum ?? 0), 1, 2, 3, 7, 20, 100, 65_536, Number(schema.maximum ?? 2 ** 31)]);
    case 'number':
      return random.pick([Number(schema.minimum ?? 0), 0.5, 1, 1 / 3, Number(schema.maximum ?? 1e12)]);
    case 'string':
      return schema.format === 'date-time'
        ? random.pick(['2030-01-31T09:30:00Z', '2001-01-01', '*', 'now'])
        : random.pick([word, field])(random);
    case 'array':
      return several(random, () => valueFor(random, (items ?? {}) as Schema, name));
    case 'object':
      return objectFor(random, (properties ?? {}) as Record<string, Schema>, (required ?? []) as string[], additionalProperties);
    default:
      return random.int(3) === 0 ? random.pick(STRANGE) : random.pick([query, filter, template, document])(random);
  }
}

function objectFor(random: SeededRandom, properties: Record<string, Schema>, required: string[], others: unknown): Json {
  const names = Object.keys(properties);
  // a few members at a time: the first bad one decides the answer, and what comes after is not looked at
  const sent = new Set([...required, ...several(random, () => random.pick(names), Math.min(6, names.length + 1))] as string[]);
  const entries = [...sent]
    .filter((name) => name in properties)
    .map((name): [string, Json] => [name, valueFor(random, properties[name]!, name)]);
  if (typeof others === 'object' && others !== null)
    entries.push(
      ...several(random, () => [field(random), valueFor(random, others as Schema)]).map((entry) => entry as [string, Json]),
    );
  return Object.fromEntries(entries);
}

function typeOf({ properties, items }: Schema): string {
  if (properties) return 'object';
  return items ? 'array' : 'any';
}

function referred(ref: string): Schema {
  const name = ref.slice(ref.lastIndexOf('/') + 1);
  if (name === 'Settings') return SETTINGS_SCHEMA;
  if (name === 'Features')
    return { type: 'object', properties: Object.fromEntries(FEATURES.map((one) => [one, { type: 'boolean' }])) };
  return (SCHEMAS[name] ?? {}) as Schema;
}

/** The value with something in it replaced, left out or added. */
export function mutated(random: SeededRandom, value: Json): Json {
  const goesOn = random.int(4) > 0;
  if (Array.isArray(value) && value.length > 0 && goesOn) {
    const at = random.int(value.length);
    return value.map((item, i) => (i === at ? mutated(random, item) : item));
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value) && goesOn) {
    const entries = Object.entries(value);
    const at = random.int(entries.length + 1);
    if (at === entries.length)
      return Object.fromEntries([...entries, [random.pick([field, word])(random), random.pick(STRANGE)]]);
    if (random.int(5) === 0) return Object.fromEntries(entries.filter((_, i) => i !== at));
    return Object.fromEntries(entries.map(([name, item], i) => [name, i === at ? mutated(random, item) : item]));
  }
  return random.pick(STRANGE);
}
