import { ERROR_SECTIONS } from './table.js';

/** What the members are of that codes such as `invalid_search_crop_length` are about, by the part before the member; longest first. */
const RESOURCES: [prefix: string, place: string][] = [
  ['index_fields_filter', 'the filter of the fields of an index'],
  ['dynamic_search_rule', 'a dynamic search rule'],
  ['chat_completion', 'the settings of a chat workspace'],
  ['facet_search', 'a facet search'],
  ['multi_search', 'a multi-search'],
  ['document', 'a request about documents'],
  ['api_key', 'an API key'],
  ['network', 'the network'],
  ['similar', 'a search for similar documents'],
  ['webhook', 'a webhook'],
  ['export', 'an export'],
  ['render', 'a request to render a template'],
  ['search', 'a search'],
  ['batch', 'a request about batches'],
  ['index', 'a request about indexes'],
  ['stats', 'a request for statistics'],
  ['swap', 'a swap of indexes'],
  ['task', 'a request about tasks'],
];

const WRONG = 'has a wrong type or a value that is not allowed';

/** Patterns of error codes with a common form, and the meaning derived from the rest of the name. */
const FAMILIES: [RegExp, (name: string) => string][] = [
  [/^missing_(.+)$/, (name) => `${subject(name)} is missing.`],
  [/^immutable_(.+)$/, (name) => `${subject(name)} cannot be changed.`],
  [/^(.+)_not_found$/, (name) => `The ${words(name)} does not exist.`],
  [/^(.+)_already_exists$/, (name) => `The ${words(name)} exists already.`],
  [/^invalid_settings_(.+)$/, (name) => `The setting \`${camelCase(name)}\` ${WRONG}.`],
  [/^invalid_(.+)$/, (name) => `${subject(name)} ${WRONG}.`],
  [/^unimplemented_(.+)$/, (name) => `Not available: ${words(name)}.`],
  [/^(.+)$/, (name) => `Error: ${words(name)}.`],
];

function words(name: string): string {
  return name.replaceAll('_', ' ').replace(/\bapi\b/, 'API');
}

function camelCase(name: string): string {
  return name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

/** The beginning of a sentence about a member of a resource: `search_crop_length` -> "In a search, `cropLength`". */
function subject(name: string): string {
  const resource = RESOURCES.find(([prefix]) => name.startsWith(`${prefix}_`));
  if (!resource) return `The ${words(name)}`;
  const [prefix, place] = resource;
  return `In ${place}, \`${camelCase(name.slice(prefix.length + 1))}\``;
}

/** The meaning of an error code, in one or two sentences. */
function meaningOf(code: string): string {
  const [pattern, sentence] = FAMILIES.find(([family]) => family.test(code))!;
  return sentence(pattern.exec(code)![1]!);
}

/** Meanings by error code. */
export const MEANINGS: ReadonlyMap<string, string> = new Map(
  ERROR_SECTIONS.flatMap(({ rows }) =>
    Object.entries(rows).map(([code, { meaning }]) => [code, meaning ?? meaningOf(code)] as const),
  ),
);
